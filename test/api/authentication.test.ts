import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { parseApiKey } from '../../src/accounts/keys/api-key-format.ts'
import { apiKeyScopes, createApiKey, revokeApiKey } from '../../src/accounts/keys/api-keys.ts'
import { Authenticator } from '../../src/accounts/keys/authenticator.ts'
import type { DocumentedOperation } from '../../src/api/reference/openapi-document.ts'
import { operations } from '../../src/api/v1/operations.ts'
import { readConfig } from '../../src/config.ts'
import { openAccount } from '../../src/app/open-account.ts'
import { eventually } from '../eventually.ts'
import { rawRequest } from './raw-request.ts'
import { beginSlowBody } from './slow-body.ts'
import { startTestApi, type TestAnswer, type TestApi } from './start-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({ config: { failedAuthPerMinute: 0 } })
})
afterAll(() => api.close())

/** Every operation. */
const table = Object.values(operations).map(
  (operation: DocumentedOperation) => [operation.id, operation] as const,
)
/** Makes a request that is right, by the first example of the reference. */
const askRightly = ({ method, path, body }: DocumentedOperation, key: string | null): Promise<TestAnswer> => {
  const [example] = Object.values(body?.examples ?? {})
  return api.request(method, path, {
    key,
    ...(example !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(example.value),
    }),
  })
}

const fake = `onesixty_test_${'A'.repeat(49)}`

test('without credentials the answer is 401 with a bare challenge', async () => {
  const answer = await api.request('GET', '/api/v1/balance', { key: null })
  expect(answer.status).toBe(401)
  expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="onesixty"')
  expect(answer.body).toMatchObject({ code: 'unauthenticated', status: 401 })
})

test('unknown, malformed and foreign keys are told apart by nobody', async () => {
  const bodies = new Set<string>()
  for (const key of [fake, 'x', 'a b', `${api.account.testKey}x`, api.account.testKey.toLowerCase()]) {
    const answer = await api.request('GET', '/api/v1/balance', { key })
    expect(answer.status, key).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="onesixty", error="invalid_token"')
    bodies.add(JSON.stringify({ ...answer.body, request_id: '' }))
  }
  expect(bodies.size).toBe(1)
})

test('the scheme may be written in any case and be followed by several spaces', async () => {
  for (const authorization of [`bearer ${api.account.testKey}`, `BEARER   ${api.account.testKey}`]) {
    const answer = await api.request('GET', '/api/v1/balance', { key: null, headers: { authorization } })
    expect(answer.status, authorization).toBe(200)
  }
})

test('a key counts in no other place than the header', async () => {
  const { testKey } = api.account
  const basic = `Basic ${Buffer.from(`${testKey}:`).toString('base64')}`
  const attempts = [
    api.request('GET', `/api/v1/balance?api_key=${testKey}`, { key: null }),
    api.request('GET', '/api/v1/balance', { key: null, headers: { cookie: `key=${testKey}` } }),
    api.request('GET', '/api/v1/balance', { key: null, headers: { authorization: basic } }),
    api.request('GET', '/api/v1/balance', { key: null, headers: { 'x-api-key': testKey } }),
  ]
  for (const answer of await Promise.all(attempts)) {
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  }
})

test('two Authorization headers, an empty one and an empty token are malformed', async () => {
  const { testKey } = api.account
  const headers = [
    `Authorization: Bearer ${testKey}\r\nAuthorization: Bearer ${testKey}`,
    `Authorization: Bearer ${testKey}\r\nauthorization: Basic eDp5`,
    'Authorization: Bearer',
    'Authorization: Bearer   ',
    'Authorization:',
  ]
  for (const header of headers) {
    const answer = await rawRequest(
      api.port,
      `GET /api/v1/balance HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n\r\n`,
    )
    expect(answer.status, header).toBe(400)
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="onesixty", error="invalid_request"')
    expect(answer.json.code).toBe('invalid_header')
  }
})

test('a key without the scope is refused by name of the scope, and still told its limits', async () => {
  const key = await mint({ scopes: ['balance:read'] })
  const answer = await api.send({ to: '+4915112345678', text: 'Hello' }, { key })
  expect(answer.status).toBe(403)
  expect(answer.headers.get('www-authenticate')).toBe(
    'Bearer realm="onesixty", error="insufficient_scope", scope="messages:send"',
  )
  expect(answer.headers.get('ratelimit-policy')).toBe('"send";q=600;w=60')
  expect(answer.body.code).toBe('insufficient_scope')
  expect(answer.body.detail).toMatch(/Nothing was sent\.$/)
  expect((await api.request('GET', '/api/v1/balance', { key })).status).toBe(200)
})

test.each(table)('%s answers no key that is none, or is one no more', async (_, operation) => {
  const key = { scopes: [operation.scope] }
  const [good, ended, expired] = [await mint(key), await mint(key), await mint({ ...key, lifeMs: 1_000 })]
  for (const token of [good, ended, expired])
    expect((await askRightly(operation, token)).status).toBeLessThan(300)
  await revoke(ended)
  // As long as a node may believe what it read of a key.
  await api.clock.advance(6_000)
  const operatorToken = `onesixty_operator_${'A'.repeat(49)}`
  for (const token of [ended, expired, fake, operatorToken, `${good}x`, ''])
    expect((await askRightly(operation, token === '' ? null : token)).status, token).toBe(401)
  expect((await askRightly(operation, good)).status).toBeLessThan(300)
})

test('a key that is revoked while the body is on its way sends nothing', async () => {
  const authenticated = vi.spyOn(Authenticator.prototype, 'authenticate')
  onTestFinished(() => authenticated.mockRestore())
  const key = await mint({ scopes: ['messages:send'] })
  const body = JSON.stringify({ to: '+4915112345678', text: 'Hello' })
  const send = () => beginSlowBody(`${api.url}/api/v1/send`, { authorization: `Bearer ${key}` }, body)
  const admitted = () =>
    eventually(
      () => authenticated.mock.settledResults.at(-1),
      (last) => expect(last).toMatchObject({ type: 'fulfilled', value: { mode: 'test' } }),
    )
  const slow = send()
  await admitted()
  expect(await slow.end()).toBe(202)
  authenticated.mockClear()
  const outlived = send()
  await admitted()
  await revoke(key)
  // As long as a node may believe what it read of a key.
  await api.clock.advance(6_000)
  expect(await outlived.end()).toBe(401)
})

test.each(table)('%s asks for its own scope, and for no other', async (_, operation) => {
  const others = apiKeyScopes.filter((name) => name !== operation.scope)
  const refused = await askRightly(operation, await mint({ scopes: others }))
  expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } })
  expect((await askRightly(operation, await mint({ scopes: [operation.scope] }))).status).toBeLessThan(300)
})

test('a suspended account may read and not send; a closed one is not known', async () => {
  const other = await startTestApi({ config: { failedAuthPerMinute: 0 } })
  const { accountId } = other.account
  const become = (state: 'suspended' | 'closed') =>
    other.storage.writer.write((tx) =>
      tx.updateTable('accounts').set({ state }).where('id', '=', accountId).execute(),
    )
  await become('suspended')
  const refused = await other.send({ to: '+4915112345678', text: 'Hello' })
  expect(refused).toMatchObject({ status: 403, body: { code: 'account_suspended' } })
  expect(refused.headers.get('www-authenticate')).toBeNull()
  expect((await other.request('GET', '/api/v1/balance')).status).toBe(200)
  await become('closed')
  await other.clock.advance(6_000)
  expect(await other.request('GET', '/api/v1/balance')).toMatchObject({
    status: 401,
    body: { code: 'invalid_token' },
  })
  await other.close()
})

test('an account that was closed a moment ago is refused where the money is, as its key will be', async () => {
  const other = await startTestApi()
  expect((await other.request('GET', '/api/v1/balance')).status).toBe(200)
  await other.storage.writer.write((tx) =>
    tx.updateTable('accounts').set({ state: 'closed' }).where('id', '=', other.account.accountId).execute(),
  )
  const refused = await other.send({ to: '+4915112345678', text: 'Hello' })
  expect(refused).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="onesixty", error="invalid_token"')
  expect(refused.body.detail).toMatch(/ Nothing was sent\.$/)
  await other.close()
})

/** A key of an account of its own. */
async function mint({ scopes, lifeMs }: { scopes: readonly string[]; lifeMs?: number }): Promise<string> {
  const nowMs = api.clock.now()
  const deps = { ids: api.ids, nowMs, randomBytes, config: readConfig({}) }
  const { token } = await api.storage.writer.write(async (tx) => {
    const email = `${api.ids('usr')}@example.org`
    const { accountId } = await openAccount(tx, deps, { name: 'Somebody', email, actor: 'test' })
    const expiresAt = lifeMs === undefined ? null : nowMs + lifeMs
    return createApiKey(tx, deps, { accountId, mode: 'test', name: 'k', scopes, expiresAt, actor: 'test' })
  })
  return token
}

const revoke = (token: string): Promise<boolean> =>
  api.storage.writer.write(async (tx) => {
    const { id: keyId } = await tx
      .selectFrom('api_keys')
      .select('id')
      .where('hash', '=', parseApiKey(token)?.hash ?? '')
      .executeTakeFirstOrThrow()
    return revokeApiKey(tx, { ids: api.ids, nowMs: api.clock.now() }, { keyId, actor: 'test' })
  })
