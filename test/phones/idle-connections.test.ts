import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ ONESIXTY_PHONE_IDLE_TIMEOUT_MS: '200' })
})
afterAll(() => app.stop())

/** Asks over a connection of its own, and gives it once it is answered. */
async function askOver(path: string, header = ''): Promise<Socket> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  await ask(socket, path, header)
  return socket
}

async function ask(socket: Socket, path: string, header = ''): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`)
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  return chunk.toString('latin1')
}

test('an idle connection of a phone ends soon, one of a proxy or of a program stays', async () => {
  const proxied = await askOver('/mobile/v1/device', 'X-Forwarded-For: 192.0.2.1\r\n')
  const program = await askOver('/healthz')
  const phone = await askOver('/mobile/v1/device')
  await once(phone, 'close')
  // They were idle for longer.
  expect(await ask(proxied, '/mobile/v1/device', 'X-Forwarded-For: 192.0.2.1\r\n')).toContain('HTTP/1.1 200')
  expect(await ask(program, '/healthz')).toContain('HTTP/1.1 200')
  proxied.destroy()
  program.destroy()
})

test('a phone that asks again meanwhile keeps its connection', async () => {
  const phone = await askOver('/mobile/v1/device')
  for (let i = 0; i < 20; i++) expect(await ask(phone, '/mobile/v1/device')).toContain('HTTP/1.1 200')
  phone.destroy()
})
