import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startApp } from '../harness.ts'

test('a server that stops does not wait for a connection on which nothing was asked, as browsers open some ahead', async () => {
  const app = await startApp()
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  await once(socket, 'connect')
  // The server has it, too, once it has answered a later one.
  await (await fetch(`${app.url}/healthz`)).arrayBuffer()
  const startedMs = performance.now()
  const closed = once(socket, 'close')
  await app.stop()
  expect(performance.now() - startedMs).toBeLessThan(3_000)
  await closed
})
