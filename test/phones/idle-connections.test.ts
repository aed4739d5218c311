import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
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

test('the answer tells a phone the time after which its connection ends, and others theirs', async () => {
  const later = await startApp({
    ONESIXTY_PHONE_IDLE_TIMEOUT_MS: '5000',
    ONESIXTY_KEEP_ALIVE_TIMEOUT_MS: '72000',
  })
  onTestFinished(() => later.stop())
  const told = async (path: string, header = ''): Promise<(string | undefined)[]> => {
    const socket = connect(Number(new URL(later.url).port), '127.0.0.1')
    const answer = await ask(socket, path, header)
    socket.destroy()
    return ['connection', 'keep-alive'].map((name) => new RegExp(`^${name}: (.*)\r$`, 'im').exec(answer)?.[1])
  }
  expect(await told('/mobile/v1/device')).toEqual(['keep-alive', 'timeout=5'])
  expect(await told('/mobile/v1/message'), 'refused').toEqual(['keep-alive', 'timeout=5'])
  expect(await told('/mobile/v1/device', 'Connection: close\r\n')).toEqual(['close', undefined])
  expect(await told('/mobile/v1/device', 'X-Forwarded-For: 192.0.2.1\r\n')).toEqual([
    'keep-alive',
    'timeout=72',
  ])
  expect(await told('/healthz')).toEqual(['keep-alive', 'timeout=72'])
})

test('a phone that asks again meanwhile keeps its connection', async () => {
  const phone = await askOver('/mobile/v1/device')
  for (let i = 0; i < 20; i++) expect(await ask(phone, '/mobile/v1/device')).toContain('HTTP/1.1 200')
  phone.destroy()
})
