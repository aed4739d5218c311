import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startApp } from '../harness.ts'

test('a server that stops does not wait for a connection on which nothing was asked, as browsers open some ahead', async () => {
  // Longer than the test may take: nothing else ends such a connection.
  const app = await startApp({ ONESIXTY_HEADERS_TIMEOUT_MS: '300000', ONESIXTY_REQUEST_TIMEOUT_MS: '300000' })
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  await once(socket, 'connect')
  // The server has it, too, once it has answered a later one.
  await (await fetch(`${app.url}/healthz`)).arrayBuffer()
  const closed = once(socket, 'close')
  await app.stop()
  expect(await closed, 'without an error').toEqual([false])
})
