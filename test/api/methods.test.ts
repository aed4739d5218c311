import { METHODS } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rawRequest } from './raw-request.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

const operations = new Map([
  ['/api/v1/send', 'POST'],
  ['/api/v1/status', 'GET'],
  ['/api/v1/balance', 'GET'],
  ['/api/v1/history', 'GET'],
])
const pages = [
  '/',
  '/docs',
  '/docs/problems',
  '/openapi.json',
  '/schemas/provider.json',
  '/healthz',
  '/readyz',
  '/metrics',
]

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const ask = (method: string, path: string) =>
  rawRequest(api.port, `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)

test('each operation takes its one method and answers 405 with Allow to every other, HEAD and OPTIONS included', async () => {
  for (const [path, allowed] of operations) {
    for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
      const answer = await ask(method, path)
      if (method === allowed) {
        expect([401, 415], `${method} ${path}`).toContain(answer.status)
        continue
      }
      expect(answer.status, `${method} ${path}`).toBe(405)
      expect(answer.headers['allow']).toBe(allowed)
      expect(answer.headers['content-type']).toBe('application/problem+json')
      if (method !== 'HEAD')
        expect(answer.json).toMatchObject({ code: 'method_not_allowed', detail: `Use ${allowed}.` })
    }
  }
})

test('pages take GET and HEAD and nothing else', async () => {
  for (const path of pages) {
    expect((await ask('GET', path)).status, path).toBe(200)
    expect(await ask('HEAD', path), path).toMatchObject({ status: 200, body: '' })
    const posted = await ask('POST', path)
    expect(posted).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  }
})

test('CONNECT is refused', async () => {
  const answer = await rawRequest(api.port, 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n')
  expect(answer).toMatchObject({ status: 405, json: { code: 'method_not_allowed' } })
})

test('everything else under /api/ is not found, without asking for a key', async () => {
  const paths = [
    '/api/', '/api/v1', '/api/v1/', '/api/v1/send/', '/api/v1/Send', '/API/v1/send', '/api/v1//send', '/api/v2/send', '/api/v1/messages',
    '/api/v1/send%2f', '/api/v1/send%', '/api/v1/%ff', '/api/v1/send;x', '/api/v1/send/..', '/api/v1/history/msg_1',
  ] // prettier-ignore
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      const answer = await rawRequest(
        api.port,
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      )
      expect(answer.status, `${method} ${path}`).toBe(404)
      expect(answer.json).toMatchObject({
        code: 'not_found',
        type: 'https://sms.example.org/docs/problems/not_found',
      })
    }
  }
})

test('no answer carries a CORS header', async () => {
  const answer = await api.request('GET', '/api/v1/balance', { headers: { origin: 'https://evil.example' } })
  expect(answer.status).toBe(200)
  expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('an address that is spelt otherwise and means the same is the same, for every method and in every form', async () => {
  for (const path of [
    '/api/v1/%73end',
    '/%61%70i/%761/send',
    '/api/v1/sen%64?a=%73',
    'http://elsewhere.example/api/v1/send',
    'http://elsewhere.example/api/v1/%73end',
  ]) {
    const posted = await ask('POST', path)
    expect(posted, path).toMatchObject({ status: 401 })
    expect(posted.json.detail).toMatch(/ Nothing was sent\.$/)
    for (const method of ['GET', 'OPTIONS', 'FROB'])
      expect(await ask(method, path), `${method} ${path}`).toMatchObject({
        status: 405,
        headers: { allow: 'POST' },
      })
    const unread = await rawRequest(
      api.port,
      `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nBad Header: x\r\n\r\n`,
    )
    expect(unread.json.detail, path).toMatch(/ Nothing was sent\.$/)
  }
})

test('a method that HTTP does not know is 405 with Allow at an address that exists, and 404 elsewhere', async () => {
  // The last two are methods of RTSP, which the parser knows.
  for (const method of ['FROB', 'post', 'POSTS', 'X-1', 'PLAY', 'DESCRIBE']) {
    for (const [path, allowed] of [...operations, ['/docs', 'GET, HEAD'] as const]) {
      const answer = await ask(method, `${path}?a=b`)
      expect(answer, `${method} ${path}`).toMatchObject({
        status: 405,
        headers: { allow: allowed, connection: 'close', 'content-type': 'application/problem+json' },
        json: { code: 'method_not_allowed', detail: `Use ${allowed.replace(', ', ' or ')}.` },
      })
    }
    const elsewhere = await ask(method, '/api/v1/sends')
    expect(elsewhere, method).toMatchObject({ status: 404, json: { code: 'not_found' } })
  }
})

test('a request line that cannot be read is malformed, whatever it asks for', async () => {
  for (const line of [
    'FROB /api/v1/send HTTP/2.0',
    'FROB /api/v1/send',
    'FR@B /api/v1/send HTTP/1.1',
    'POST /api/v1/send HTTP/1.x',
  ]) {
    const answer = await rawRequest(api.port, `${line}\r\nHost: x\r\n\r\n`)
    expect(answer, line).toMatchObject({ status: 400, json: { code: 'malformed_request' } })
  }
})
