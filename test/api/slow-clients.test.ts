import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rawRequest } from './raw-request.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({ config: { headersTimeoutMs: 300, requestTimeoutMs: 600 } })
})
afterAll(() => api.close())

test('200 connections that drip their headers are all closed, and told why, while others are served', async () => {
  const drips = Array.from({ length: 200 }, () =>
    drip('GET /api/v1/balance HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n'),
  )
  expect((await api.request('GET', '/healthz')).status).toBe(200)
  const heard = await Promise.all(drips)
  // A client that writes at the moment of the close may lose the answer; it is closed all the same.
  const told = heard.filter((answer) => answer !== '')
  expect(told.length).toBeGreaterThan(150)
  expect(told.every((answer) => answer.startsWith('HTTP/1.1 408 '))).toBe(true)
})

test('a body that does not arrive in time is 408, and nothing was sent', async () => {
  const answer = await rawRequest(
    api.port,
    `POST /api/v1/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.account.testKey}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"to"`,
  )
  expect(answer).toMatchObject({
    status: 408,
    json: { code: 'request_timeout' },
    headers: { connection: 'close' },
  })
  expect(answer.json.detail).toMatch(/Nothing was sent\.$/)
  expect((await api.request('GET', '/api/v1/balance')).body.reserved).toBe(0)
})

test('more connections than may be open are closed at once', async () => {
  const small = await startTestApi({ config: { maxConnections: 2 } })
  const held = await Promise.all([openConnection(small.port), openConnection(small.port)])
  const third = await openConnection(small.port)
  await expect(third.closed).resolves.toBeUndefined()
  for (const { socket } of held) socket.destroy()
  await small.close()
})

async function openConnection(port: number): Promise<{ socket: Socket; closed: Promise<void> }> {
  const socket = connect(port, '127.0.0.1')
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => undefined).resume()
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  return { socket, closed }
}

/**
 * Opens a request and goes on with a line each 150 ms until it is answered. Whoever writes after the close is reset and loses the answer, so
 * it drips as seldom as still makes several lines before the server has had enough.
 */
function drip(head: string, line: string): Promise<string> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    const socket = connect(api.port, '127.0.0.1', () => {
      socket.write(head)
      // Not before: a line in front of the head would be another request, and a bad one.
      timer = setInterval(() => socket.write(line), 150)
    })
    let received = ''
    socket.on('data', (data) => {
      clearInterval(timer)
      received += data.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearInterval(timer)
      resolve(received)
    })
  })
}
