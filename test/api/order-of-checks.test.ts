import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/keys/api-keys.ts'
import { rawRequest } from './raw-request.ts'
import { startTestApi, type TestApi, workingRouting } from './start-test-api.ts'

let api: TestApi
let sendersWork = false
let optedOut = new Set<string>()
beforeAll(async () => {
  api = await startTestApi({
    config: { sendPerMinute: 60, sendBurst: 60, playSms: 1 },
    ports: {
      routing: { forAccount: () => ({ ...workingRouting, enabled: sendersWork }) },
      optedOut: async () => optedOut,
    },
  })
})
afterAll(() => api.close())

/** A request that is wrong in every way; each step puts one thing right, in the order in which things are checked. */
test('of everything that is wrong, the first in the order of checks is told', async () => {
  const { ids, clock, account } = api
  const limited = await api.storage.writer.write((tx) =>
    createApiKey(
      tx,
      { ids, nowMs: clock.now(), randomBytes },
      { accountId: account.accountId, mode: 'test', name: 'r', scopes: ['balance:read'], actor: 'test' },
    ),
  )
  const wrong = {
    method: 'PUT',
    path: '/api/v1/sned',
    length: 70_000,
    key: 'nonsense',
    accept: 'text/html',
    type: 'text/plain',
    idempotencyKey: 'two words',
    body: '{"to":' as string,
  }
  const told: string[] = []
  async function say(change: Partial<typeof wrong> = {}): Promise<void> {
    Object.assign(wrong, change)
    const length = wrong.length === 0 ? Buffer.byteLength(wrong.body) : wrong.length
    const answer = await rawRequest(
      api.port,
      `${wrong.method} ${wrong.path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${wrong.key}\r\nAccept: ${wrong.accept}\r\n` +
        `Content-Type: ${wrong.type}\r\nIdempotency-Key: ${wrong.idempotencyKey}\r\nContent-Length: ${length}\r\n\r\n${wrong.length === 0 ? wrong.body : ''}`,
    )
    told.push(answer.status < 400 ? String(answer.status) : `${answer.status} ${answer.json.code}`)
  }
  await say()
  await say({ path: '/api/v1/send' })
  await say({ method: 'POST' })
  await say({ length: 0 })
  await say({ key: limited.token })
  await say({ key: account.testKey })
  await say({ accept: '*/*' })
  await say({ type: 'application/json' })
  await say({ body: JSON.stringify({ to: '+4915112345678', txt: 'Hello' }) })
  await say({ idempotencyKey: 'k' })
  optedOut = new Set(['+4915112345678'])
  await say({ body: JSON.stringify({ to: '+4915112345678', text: 'x'.repeat(400) }) })
  optedOut = new Set()
  await say()
  sendersWork = true
  await say()
  await say({ body: JSON.stringify({ to: '+4915112345678', text: 'Hello' }) })
  expect(told).toEqual([
    '404 not_found',
    '405 method_not_allowed',
    '413 payload_too_large',
    '401 invalid_token',
    '403 insufficient_scope',
    '406 not_acceptable',
    '415 unsupported_media_type',
    '400 malformed_request',
    '400 invalid_header',
    '422 validation_failed',
    '422 recipients_rejected',
    '503 no_sender_available',
    '402 insufficient_balance',
    '202',
  ])
})

test('a full queue is told before an empty wallet, and a rate limit before anything about the body', async () => {
  const small = await startTestApi({ config: { queueLimit: 1, playSms: 1, sendPerMinute: 4 } })
  const send = (text: string) => small.send({ to: '+4915112345678', text })
  expect((await send('one')).status).toBe(202)
  expect((await send('x'.repeat(400))).body).toMatchObject({ status: 429, code: 'queue_full' })
  expect((await small.send('no object')).status).toBe(400)
  expect((await small.send({})).status).toBe(422)
  expect(
    (await small.request('POST', '/api/v1/send', { body: '{', headers: { accept: 'text/html' } })).body,
  ).toMatchObject({ code: 'rate_limited' })
  await small.close()
})
