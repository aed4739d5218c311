import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from './start-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const body = JSON.stringify({ to: '+4915112345678', text: 'Hello', dry_run: true })
const post = (headers: Record<string, string>) => api.request('POST', '/api/v1/send', { body, headers })

test('a body must call itself JSON, in UTF-8 and uncompressed', async () => {
  const refused: Record<string, string>[] = [
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-type': 'application/json-patch+json' },
    { 'content-type': 'application/json; charset=latin1' },
    { 'content-type': 'application/json, text/plain' },
    { 'content-type': 'multipart/form-data; boundary=x' },
    { 'content-type': 'nonsense' },
    { 'content-type': 'application/json', 'content-encoding': 'br' },
    { 'content-type': 'application/json', 'content-encoding': 'identity, gzip' },
  ]
  for (const headers of refused) {
    const answer = await post(headers)
    expect([answer.status, answer.body.code], JSON.stringify(headers)).toEqual([
      415,
      'unsupported_media_type',
    ])
    expect(answer.body.detail).toMatch(/Nothing was sent\.$/)
  }
  const none = await api.request('POST', '/api/v1/send', { body: Buffer.from(body) })
  expect(none).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
})

test('every spelling of JSON in UTF-8 is taken', async () => {
  const taken: Record<string, string>[] = [
    { 'content-type': 'application/json' },
    { 'content-type': 'Application/JSON' },
    { 'content-type': 'application/json;charset=utf-8' },
    { 'content-type': 'application/json; charset="UTF-8"' },
    { 'content-type': 'application/json', 'content-encoding': 'identity' },
  ]
  for (const headers of taken) expect((await post(headers)).status, JSON.stringify(headers)).toBe(200)
})

test('an Accept that admits neither JSON nor problems is 406', async () => {
  for (const accept of [
    'text/html',
    'application/xml',
    'application/json;q=0',
    '*/*;q=0',
    'image/*, text/*;q=0.5',
    '*/*, application/json;q=0, application/problem+json;q=0.0',
  ]) {
    const answer = await api.request('GET', '/api/v1/balance', { headers: { accept } })
    expect([answer.status, answer.body.code], accept).toEqual([406, 'not_acceptable'])
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
  }
  for (const accept of [
    '*/*',
    'application/*',
    'application/json',
    'APPLICATION/JSON',
    'application/problem+json',
    'text/html, */*;q=0.1',
    'text/html, application/json;q=0.001',
  ]) {
    expect((await api.request('GET', '/api/v1/balance', { headers: { accept } })).status, accept).toBe(200)
  }
})

test('every answer names its type, forbids guessing and caching, and carries an id that the problem repeats', async () => {
  const answers = [
    await post({ 'content-type': 'application/json' }),
    await post({ 'content-type': 'text/plain' }),
    await api.request('GET', '/api/v1/nothing', { key: null }),
    await api.request('GET', '/api/v1/balance'),
    await api.request('DELETE', '/api/v1/send'),
  ]
  for (const { status, headers, body: said } of answers) {
    expect(headers.get('content-type')).toBe(status === 200 ? 'application/json' : 'application/problem+json')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('request-id')).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/)
    if (status !== 200) expect(said.request_id).toBe(headers.get('request-id'))
  }
  expect(new Set(answers.map(({ headers }) => headers.get('request-id'))).size).toBe(answers.length)
})
