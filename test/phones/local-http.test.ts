import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { exchange } from '../../src/connectors/android/local/local-http.ts'

/** A server on the loopback interface, and what it was asked for. */
async function listen(answer: RequestListener) {
  const seen: { url: string | undefined; method: string | undefined; login: string | undefined }[] = []
  const server = createServer((request, response) => {
    seen.push({ url: request.url, method: request.method, login: request.headers.authorization })
    answer(request, response)
  })
  server.on('connect', (request, socket) => {
    seen.push({ url: request.url, method: request.method, login: request.headers.authorization })
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port } }
}
/** Time never passes, or is over at once. */
const never = { schedule: () => () => undefined }
const login = { user: 'sms', password: 'secret' }
const ask = { method: 'GET', path: '/device', login } as const

test('a proxy of the environment is never told the password', async () => {
  const proxy = await listen((_, response) => response.end('[]'))
  const phone = await listen((_, response) => response.end('[]'))
  const url = `http://127.0.0.1:${proxy.address.port}`
  // Node.js reads these variables when it starts.
  const env = {
    ...process.env,
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: url,
    http_proxy: url,
    NO_PROXY: '',
    no_proxy: '',
  }
  const module = join(import.meta.dirname, '../../src/connectors/android/local/local-http.ts')
  const code = `import { exchange } from ${JSON.stringify(module)}
    const never = { schedule: () => () => undefined }
    const answer = await exchange(never, ${JSON.stringify(phone.address)}, ${JSON.stringify(ask)})
    console.log(answer.status)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env })
  expect(stdout).toBe('200\n')
  expect(proxy.seen).toEqual([])
  expect(phone.seen).toEqual([
    { url: '/device', method: 'GET', login: `Basic ${Buffer.from('sms:secret').toString('base64')}` },
  ])
})

test('a redirect is not followed', async () => {
  const other = await listen((_, response) => response.end('[]'))
  const phone = await listen((_, response) =>
    response.writeHead(302, { location: `http://127.0.0.1:${other.address.port}/` }).end(),
  )
  await expect(exchange(never, phone.address, ask)).rejects.toMatchObject({ fault: 'unreachable' })
  expect(other.seen).toEqual([])
})

test('an answer that has no end is cut after 2 MB', async () => {
  const piece = Buffer.alloc(64 * 1024, 'x')
  const phone = await listen((_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', more)
    more()
  })
  await expect(exchange(never, phone.address, ask)).rejects.toMatchObject({ fault: 'phone_errors' })
})

test('an answer that stops in its middle, or never begins, ends with the time for it', async () => {
  let isOver: () => void = () => undefined
  const late = {
    timeoutMs: 7,
    schedule(_afterMs: number, run: () => void) {
      isOver = run
      return () => undefined
    },
  }
  const begun = await listen((_, response) => {
    response.write('[')
    response.flushHeaders()
    setImmediate(() => isOver())
  })
  await expect(exchange(late, begun.address, ask)).rejects.toMatchObject({
    fault: 'unreachable',
  })
  const silent = await listen(() => isOver())
  await expect(exchange(late, silent.address, ask)).rejects.toMatchObject({
    fault: 'unreachable',
    message: expect.stringContaining('no answer in 7 ms') as string,
  })
})

test('a connection that is cut within the answer is one that is not complete', async () => {
  const phone = await listen((request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('[', () => request.socket.destroy())
  })
  await expect(exchange(never, phone.address, ask)).rejects.toMatchObject({ fault: 'unreachable' })
})
