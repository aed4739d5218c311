import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { makeCertificate } from '../smpp/make-certificate.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

const noLimits = { sendPerMinute: 0, readPerMinute: 0, playSms: 100_000, queueLimit: 0 }

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({ config: { ...noLimits, requestTimeoutMs: 500, headersTimeoutMs: 500 } })
})
afterAll(() => api.close())

const body = JSON.stringify({ to: '+4915112345678', text: 'Hello' })
const head = ({ account }: TestApi, more = ''): string =>
  `POST /api/v1/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.testKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}\r\n`

async function open({ port }: TestApi): Promise<{ socket: Socket; received: () => string }> {
  let received = ''
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1'))).on('error', () => undefined)
  await once(socket, 'connect')
  return { socket, received: () => received }
}

const statuses = (received: string): string[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status)

/** How many requests `node:http` read while something was done. */
async function readByNodeDuring(task: () => Promise<unknown>): Promise<number> {
  const before = api.readByNode()
  await task()
  return api.readByNode() - before
}

test('ordinary requests to the four operations are read straight from their connection', async () => {
  const byNode = await readByNodeDuring(async () => {
    const sent = await api.send({ to: '+4915112345678', text: 'Hello' })
    expect([sent.status, sent.headers.get('keep-alive')]).toEqual([202, 'timeout=72'])
    for (const path of ['status', 'balance', 'history?limit=1'])
      expect((await api.request('GET', `/api/v1/${path}`)).status).toBe(200)
    expect((await api.send({ to: 'x' })).status).toBe(422)
  })
  expect(byNode).toBe(0)
})

test('a connection is given to node:http with its first other request, and nothing of that request is lost', async () => {
  const { socket, received } = await open(api)
  const byNode = await readByNodeDuring(async () => {
    socket.write(`${head(api)}${body}${head(api, 'Expect: 100-continue\r\n')}${body}${head(api)}${body}`)
    await eventually(
      () => statuses(received()),
      (seen) => expect(seen).toEqual(['202', '100', '202', '202']),
    )
  })
  expect(byNode).toBe(2)
  socket.destroy()
})

test('a request with two Host headers is refused, on a connection that stays open too', async () => {
  const { socket, received } = await open(api)
  socket.write(`${head(api, 'Host: y\r\n')}${body}`)
  await eventually(
    () => statuses(received()),
    (seen) => expect(seen).toEqual(['400']),
  )
  socket.destroy()
})

test.each(['Connection', 'Proxy-Connection'])(
  '%s: close is followed, with blanks or a tab behind it too',
  async (name) => {
    for (const value of ['close', 'close ', 'close\t', 'Close\t ', 'close, keep-alive']) {
      const { socket, received } = await open(api)
      const closed = once(socket, 'close')
      socket.write(`${head(api, `${name}: ${value}\r\n`)}${body}`)
      await closed
      expect(statuses(received())).toEqual(['202'])
    }
  },
)

test('a body that comes behind its head is waited for; one that is slow is left to node:http and its time limit', async () => {
  const { socket, received } = await open(api)
  const whole = await readByNodeDuring(async () => {
    socket.write(head(api))
    await new Promise((resolve) => setImmediate(resolve))
    socket.write(body)
    await eventually(
      () => statuses(received()),
      (seen) => expect(seen).toEqual(['202']),
    )
  })
  expect(whole).toBe(0)
  const slow = await readByNodeDuring(async () => {
    socket.write(`${head(api)}{`)
    await once(socket, 'close')
  })
  expect([slow, statuses(received())]).toEqual([1, ['202', '408']])
})

test('requests in one write are answered in their order, each once, and one behind them in pieces too', async () => {
  const { socket, received } = await open(api)
  const before = (await api.request('GET', '/api/v1/balance')).body.reserved
  const bytes = `${head(api)}${body}`.repeat(20)
  socket.write(bytes.slice(0, -3))
  await eventually(
    () => statuses(received()).length,
    (seen) => expect(seen).toBe(19),
  )
  socket.write(bytes.slice(-3))
  await eventually(
    () => statuses(received()),
    (seen) => expect(seen).toEqual(Array.from({ length: 20 }, () => '202')),
  )
  const ids = [...received().matchAll(/"id":"(msg_\w+)"/g)].map(([, id]) => id as string)
  expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)))
  expect(new Set(ids).size).toBe(20)
  expect((await api.request('GET', '/api/v1/balance')).body.reserved).toBe(before + 20)
  socket.destroy()
})

test('a client that ends its side behind a request gets the answer, and the connection is closed', async () => {
  const { socket, received } = await open(api)
  const closed = once(socket, 'close')
  socket.end(`${head(api)}${body}`)
  await closed
  expect(statuses(received())).toEqual(['202'])
})

test('a connection on which nothing is asked is left to node:http', async () => {
  const { socket, received } = await open(api)
  await once(socket, 'close')
  expect(statuses(received())).toEqual(['408'])
})

test('an idle connection is closed when its time is over, and not before', async () => {
  const brief = await startTestApi({ config: { ...noLimits, keepAliveTimeoutMs: 100 } })
  const { socket, received } = await open(brief)
  socket.write(`${head(brief)}${body}`)
  await once(socket, 'close')
  expect(statuses(received())).toEqual(['202'])
  expect(received()).toContain('Keep-Alive: timeout=0')
  await brief.close()
})

test('a server that stops closes idle connections and lets a request that is being handled be the last', async () => {
  const waits = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const stopping = await startTestApi({
    config: noLimits,
    ports: { optedOut: async () => (asked.resolve(), await waits.promise, new Set()) },
  })
  const idle = await open(stopping)
  idle.socket.write(
    `GET /api/v1/balance HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stopping.account.testKey}\r\n\r\n`,
  )
  await eventually(
    () => statuses(idle.received()),
    (seen) => expect(seen).toEqual(['200']),
  )
  const busy = await open(stopping)
  busy.socket.write(`${head(stopping)}${body}`)
  await asked.promise
  const stopped = stopping.stop()
  await once(idle.socket, 'close')
  waits.resolve()
  await once(busy.socket, 'close')
  await stopped
  expect(statuses(busy.received())).toEqual(['202'])
  expect(busy.received()).toContain('Connection: close')
  await stopping.close()
})

test('a server that stops takes the rest of a request that has begun', async () => {
  const stopping = await startTestApi({ config: noLimits })
  const { socket, received } = await open(stopping)
  socket.write(head(stopping))
  // The server has it, too, once it has answered a later one.
  await stopping.request('GET', '/api/v1/balance')
  const stopped = stopping.stop()
  socket.write(body)
  await once(socket, 'close')
  await stopped
  expect(statuses(received())).toEqual(['202'])
  expect(received()).toContain('Connection: close')
  await stopping.close()
})

test('a server that stops does not wait for a client that reads no answers', async () => {
  const stopping = await startTestApi({ config: noLimits })
  const to = Array.from({ length: 100 }, (_, i) => `+49151123456${String(i).padStart(2, '0')}`)
  expect((await stopping.send({ to, text: 'Hello' })).status).toBe(202)
  const { socket } = await open(stopping)
  socket.pause()
  const { testKey } = stopping.account
  // Each answer has 60 KB, so that a few hundred are more than the kernel keeps.
  const question = `GET /api/v1/history?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${testKey}\r\n\r\n`
  socket.write(question.repeat(400))
  let [answered, unchanged] = [0, 0]
  await eventually(
    () => {
      unchanged = stopping.logLines.length === answered && answered > 10 ? unchanged + 1 : 0
      answered = stopping.logLines.length
      return unchanged
    },
    (times) => expect(times).toBeGreaterThan(20),
    15_000,
  )
  expect(answered).toBeLessThan(400)
  const startedMs = performance.now()
  await stopping.stop()
  expect(performance.now() - startedMs).toBeLessThan(3_000)
  const closed = once(socket, 'close')
  socket.destroy()
  await closed
  await stopping.close()
})

test('a request that ends in the middle of its body closes the connection', async () => {
  const { socket, received } = await open(api)
  const closed = once(socket, 'close')
  socket.end(`${head(api)}{`)
  await closed
  expect(received()).toBe('')
})

test('requests over TLS are read straight from their connection too, and the first other one is not lost', async () => {
  const { cert, key } = makeCertificate('server', ['localhost'])
  const secure = await startTestApi({
    config: noLimits,
    tls: { cert: Buffer.from(cert), key: Buffer.from(key) },
  })
  let received = ''
  const socket = connectTls({ port: secure.port, host: '127.0.0.1', ca: cert, servername: 'localhost' })
  socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')))
  await once(socket, 'secureConnect')
  socket.write(`${head(secure)}${body}${head(secure)}${body}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`)
  await eventually(
    () => statuses(received),
    (seen) => expect(seen).toEqual(['202', '202', '200']),
  )
  expect(secure.readByNode()).toBe(1)
  socket.destroy()
  await secure.close()
})

test('with the setting off node:http reads every request', async () => {
  const off = await startTestApi({ config: { ...noLimits, directRequests: 'off' } })
  expect((await off.send({ to: '+4915112345678', text: 'Hello' })).status).toBe(202)
  expect(off.readByNode()).toBe(1)
  await off.close()
})
