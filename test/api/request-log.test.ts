import { afterAll, beforeAll, expect, test } from 'vitest'
import { rawRequest } from './raw-request.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const lastLine = (): Record<string, unknown> =>
  JSON.parse(api.logLines.at(-1) ?? '{}') as Record<string, unknown>

test('each request leaves one line: who, what, how it ended and how long it took', async () => {
  const answer = await api.request('GET', '/api/v1/history?limit=1')
  expect(lastLine()).toMatchObject({
    level: 'info',
    request: answer.headers.get('request-id'),
    method: 'GET',
    path: '/api/v1/history',
    status: 200,
    ms: 0,
    account: api.account.accountId,
    key: expect.stringMatching(/^key_/) as unknown,
  })
  const linesBefore = api.logLines.length
  await api.request('GET', '/api/v1/history', { key: null })
  expect(api.logLines).toHaveLength(linesBefore + 1)
  expect(lastLine()).not.toHaveProperty('account')
})

test('accepted sends have a line each minute with their number, and one each where that is asked for', async () => {
  const body = { to: '+4915112345678', text: 'Hello' }
  const each = await startTestApi({ config: { logSends: 'each' } })
  await each.send(body)
  expect(JSON.parse(each.logLines.at(-1) ?? '{}')).toMatchObject({ path: '/api/v1/send', status: 202 })
  await each.close()
  const linesBefore = api.logLines.length
  for (let i = 0; i < 3; i++) expect((await api.send(body)).status).toBe(202)
  expect((await api.send({ ...body, to: 'x' })).status).toBe(422)
  expect(api.logLines).toHaveLength(linesBefore + 1)
  expect(lastLine()).toMatchObject({ path: '/api/v1/send', status: 422 })
  await api.clock.advance(60_000)
  expect(lastLine()).toMatchObject({ sends: 3, msg: 'sends accepted in the last minute' })
})

test('the trace of the caller stands in the log, and only a real one', async () => {
  const traced = async (traceparent: string) => {
    await api.request('GET', '/healthz', { headers: { traceparent } })
    return lastLine()['trace']
  }
  expect(await traced('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')).toBe(
    '4bf92f3577b34da6a3ce929d0e0e4736',
  )
  for (const bad of [
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    '4bf92f3577b34da6a3ce929d0e0e4736',
    'x',
  ]) {
    expect(await traced(bad), bad).toBeUndefined()
  }
})

test('an address that exists is logged and counted by its name, however it is spelt and whatever is asked of it', async () => {
  const ask = (line: string) =>
    rawRequest(api.port, `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  for (const path of ['/api/v1/%62alance?a=b', 'http://user:secret@elsewhere.example/api/v1/balance']) {
    for (const method of ['GET', 'DELETE']) {
      await ask(`${method} ${path}`)
      expect(lastLine(), `${method} ${path}`).toMatchObject({ method, path: '/api/v1/balance' })
    }
  }
  const { text } = await api.request('GET', '/metrics', { key: null })
  expect(text).toMatch(
    /^onesixty_request_seconds_count\{.*operation="\/api\/v1\/balance".*status="405".*\} 2$/m,
  )
  await ask('GET http://user:secret@elsewhere.example/no/such?a=b')
  expect(lastLine()).toMatchObject({ path: '/no/such' })
})

test('no text, number, key or query reaches the log, whatever becomes of the request', async () => {
  const number = '+4915100112233'
  const marked = {
    to: number,
    text: 'CANARY-text',
    client_reference: 'CANARY-reference',
    metadata: { a: 'CANARY-metadata' },
    from: 'Onesixty',
  }
  const { testKey, liveKey } = api.account
  await api.send(marked, { headers: { 'idempotency-key': 'CANARY-key', cookie: 'CANARY-cookie' } })
  await api.send({ ...marked, from: 'CANARYsend' })
  await api.send({ ...marked, 'CANARY-field': 1, to: [number, number] })
  await api.request('POST', '/api/v1/send', {
    body: '{"CANARY-broken',
    headers: { 'content-type': 'application/json' },
  })
  await api.request('POST', '/api/v1/send', {
    body: 'CANARY-body',
    headers: { 'content-type': 'text/CANARY-type' },
  })
  await api.request('GET', `/api/v1/history?to=%2B4915100112233&client_reference=CANARY-query`)
  await api.request('GET', `/api/v1/history?CANARY-name=1`)
  await api.request('GET', `/api/v1/send/${number}`)
  await api.request('GET', `/${testKey}?key=${liveKey}`)
  await api.request('GET', `/api/v1/send/%2B%34${number.slice(2)}`)
  await api.request('GET', `/${testKey.replace('s', '%73')}`)
  await rawRequest(api.port, 'GET http://CANARY-user@x/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await api.request('GET', '/api/v1/balance', { key: `${liveKey}CANARY` })
  await rawRequest(api.port, `GET /api/v1/balance HTTP/1.1\r\nHost: CANARY-host\r\nCANARY header\r\n\r\n`)
  const log = api.logLines.join('\n')
  expect(api.logLines.length).toBeGreaterThan(10)
  expect(log).not.toMatch(/CANARY/)
  expect(log).not.toContain('4915100112233')
  expect(log).not.toContain(testKey.slice(14))
  expect(log).not.toContain(liveKey.slice(14))
})
