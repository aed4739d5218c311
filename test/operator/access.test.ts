import { randomBytes } from 'node:crypto'
import { METHODS } from 'node:http'
import {
  createOperatorToken,
  readTokens,
  revokeOperatorToken,
} from '../../src/accounts/keys/operator-tokens.ts'
import { operatorOperations } from '../../src/api/operator/operations.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rawRequest } from '../api/raw-request.ts'
import { beginSlowBody } from '../api/slow-body.ts'
import { eventually } from '../eventually.ts'
import { type OperatorHouse, startOperatorHouse } from './operator-client.ts'

let house: OperatorHouse
let owner: Awaited<ReturnType<OperatorHouse['openAccount']>>
/** Tokens that once could do everything. */
let ended: Record<'revoked' | 'expired', string>
beforeAll(async () => {
  house = await startOperatorHouse({ ONESIXTY_FAILED_AUTH_PER_MINUTE: '0' })
  owner = await house.openAccount('Olive')
  ended = await endedTokens()
})
afterAll(() => house.stop())

/** Every operation, at an account that exists. */
const table = operatorOperations.map(
  ({ id, path, ...row }) => [id, { ...row, path: path.replace('/operator/v1', '') }] as const,
)
type Row = (typeof table)[number][1]
const at = ({ path }: Row): string => path.replace(':account', owner.accountId)
/** What is refused for its body has passed everything before. */
const ask = (row: Row, options: { token?: string | null; headers?: Record<string, string> } = {}) =>
  house.ask(row.method, at(row), {
    ...options,
    headers: {
      ...(row.method === 'POST' && { 'content-type': 'application/json', 'idempotency-key': 'access' }),
      ...options.headers,
    },
    ...(row.method === 'POST' && { body: '{"unknown":1}' }),
  })
const passed = ({ method }: Row): number => (method === 'POST' ? 422 : 200)

test('there is something to guard', () => {
  expect(table.length).toBeGreaterThan(5)
  expect(new Set(table.map(([, { scope }]) => scope))).toEqual(new Set(['read', 'write']))
})

test.each(table)('%s answers nobody without a token', async (_, row) => {
  const answer = await ask(row, { token: null })
  expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="onesixty"')
})

test.each(table)('%s takes no API key, and no token that is none', async (_, row) => {
  for (const token of [owner.liveKey, owner.testKey, `${house.tokens.write.token}x`, 'x']) {
    const answer = await ask(row, { token })
    expect(answer).toMatchObject({
      status: 401,
      body: { code: 'invalid_token', title: 'The API token is invalid.' },
    })
  }
})

test.each(table)('%s takes no token that was revoked or has expired', async (_, row) => {
  for (const [how, token] of Object.entries(ended))
    expect(await ask(row, { token }), how).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
})

test.each(table)('%s answers what is right, and knows no account that there is not', async (id, row) => {
  const example = Object.values(row.body?.examples ?? {})[0]?.value as Record<string, unknown> | undefined
  const isOfAccount = row.path.includes(':account') || example?.['account_id'] !== undefined
  const askRightly = (accountId: string, key: string) => {
    const body = example?.['account_id'] === undefined ? example : { ...example, account_id: accountId }
    return house.ask(row.method, row.path.replace(':account', accountId), {
      headers: { 'idempotency-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }
  expect((await askRightly(owner.accountId, `${id}-right`)).status).toBeLessThan(300)
  if (!isOfAccount) return
  for (const absent of [`acc_${'0'.repeat(26)}`, owner.userId, 'x'])
    expect(await askRightly(absent, `${id}-${absent}`), absent).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
})

test.each(table)('%s wants its scope', async (_, row) => {
  const answer = await ask(row, { token: house.tokens.read.token })
  if (row.scope === 'read') expect(answer.status).toBe(passed(row))
  else {
    expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } })
    expect(answer.headers.get('www-authenticate')).toContain('scope="write"')
  }
  const able = await ask(row)
  expect(able.status).toBe(passed(row))
  expect(able.headers.get('ratelimit-policy')).toBe('"operator";q=600;w=60')
})

test.each(table)('%s answers 405 with Allow to every other method', async (_, row) => {
  const allowed = table.filter(([, { path }]) => path === row.path).map(([, { method }]) => method)
  for (const method of METHODS.filter((name) => name !== 'CONNECT' && !allowed.includes(name as 'GET'))) {
    const answer = await rawRequest(
      Number(new URL(house.url).port),
      `${method} /operator/v1${at(row)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    )
    expect(answer.status, method).toBe(405)
    expect(answer.headers['allow']?.split(', ').toSorted(), method).toEqual(allowed.toSorted())
  }
})

test('a token of the operator opens nothing below /api/v1, nor in the console', async () => {
  const headers = { authorization: `Bearer ${house.tokens.write.token}` }
  for (const path of ['/api/v1/balance', '/api/v1/history', '/console/api/operator/accounts']) {
    const answer = await fetch(house.url + path, { headers })
    await answer.arrayBuffer()
    expect(answer.status, path).toBe(401)
  }
})

test('what does not exist is 404 without asking for a token', async () => {
  for (const path of ['', '/', '/account', '/accounts/', `/accounts/${owner.accountId}/`, `/accounts/${owner.accountId}/grant`, '/accounts//grants', `/accounts/${owner.accountId}/grants/1`])
    expect(await house.ask('GET', path, { token: null }), path).toMatchObject({ status: 404, body: { code: 'not_found' } }) // prettier-ignore
})

test('bodies are strict: no other type, no second object, nothing with a GET', async () => {
  const path = `/accounts/${owner.accountId}/grants`
  const key = { 'idempotency-key': 'strict' }
  expect(
    (await house.ask('POST', path, { body: '{}', headers: { ...key, 'content-type': 'text/plain' } })).status,
  ).toBe(415)
  expect(
    (await house.ask('POST', path, { body: '[]', headers: { ...key, 'content-type': 'application/json' } }))
      .status,
  ).toBe(400)
  expect((await house.ask('GET', '/accounts', { headers: { accept: 'text/html' } })).status).toBe(406)
  expect((await house.get('/accounts?x=1')).body).toMatchObject({
    code: 'invalid_query',
    errors: [{ parameter: 'x' }],
  })
  expect((await house.get(`/accounts/${owner.accountId}?x=1`)).status).toBe(400)
})

test('a revoked token is refused at the next request', async () => {
  const { id, token } = house.tokens.read
  expect((await house.ask('GET', '/accounts', { token })).status).toBe(200)
  await house.app.storage.writer.write((tx) =>
    revokeOperatorToken(tx, deps(), { tokenId: id, actor: 'test' }),
  )
  expect((await house.ask('GET', '/accounts', { token })).status).toBe(401)
})

test('a token that is revoked while the body is on its way changes nothing', async () => {
  const { writer, read } = house.app.storage
  const wanted = { name: 'Slow', scope: 'write', expiresAt: null, actor: 'test' } as const
  const { token, tokenId } = await writer.write((tx) => createOperatorToken(tx, deps(), wanted))
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'slow' }
  const grant = JSON.stringify({ mode: 'live', kind: 'grant', sms: 1, note: 'Slow' })
  const slow = beginSlowBody(`${house.url}/operator/v1/accounts/${owner.accountId}/grants`, headers, grant)
  // The first use in a minute is noted at the door.
  await eventually(
    () => readTokens(read, systemClock.now()),
    (tokens) => expect(tokens.find(({ id }) => id === tokenId)?.lastUsedAt).toBeTypeOf('number'),
  )
  await writer.write((tx) => revokeOperatorToken(tx, deps(), { tokenId, actor: 'test' }))
  expect(await slow.end()).toBe(401)
})

const ids = createIds({ now: systemClock.now })
const deps = () => ({ ids, nowMs: systemClock.now(), randomBytes })

const endedTokens = (): Promise<typeof ended> =>
  house.app.storage.writer.write(async (tx) => {
    const wanted = { name: 'Ended', scope: 'write', actor: 'test' } as const
    const revoked = await createOperatorToken(tx, deps(), { ...wanted, expiresAt: null })
    await revokeOperatorToken(tx, deps(), { tokenId: revoked.tokenId, actor: 'test' })
    const anHourAgo = { ...deps(), nowMs: systemClock.now() - 3_600_000 }
    const expired = await createOperatorToken(tx, anHourAgo, { ...wanted, expiresAt: systemClock.now() - 1 })
    return { revoked: revoked.token, expired: expired.token }
  })
