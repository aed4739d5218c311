import { afterEach, beforeEach, expect, test } from 'vitest'
import { setAccountState } from '../../src/accounts/core/accounts.ts'
import { parseApiKey } from '../../src/accounts/keys/api-key-format.ts'
import { listApiKeys, revokeApiKey, touchLastUsed } from '../../src/accounts/keys/api-keys.ts'
import { type AccountsFixture, openAccountsFixture } from './accounts-fixture.ts'

let fixture: AccountsFixture
let accountId: string
beforeEach(async () => {
  fixture = await openAccountsFixture()
  ;({ accountId } = await fixture.addAccount())
})
afterEach(() => fixture.close())

const list = () => listApiKeys(fixture.storage.read, { accountId, nowMs: fixture.clock.now(), limit: 100 })
const revoke = (keyId: string) =>
  fixture.storage.writer.write((tx) => revokeApiKey(tx, fixture.deps(), { keyId, actor: 'test' }))

test('stores the hash of a key and never the key', async () => {
  const { keyId, token } = await fixture.addKey({ accountId, name: 'Shop' })
  const row = await fixture.storage.read.selectFrom('api_keys').selectAll().executeTakeFirstOrThrow()
  expect(row.hash).toBe(parseApiKey(token)?.hash)
  const everything = JSON.stringify([
    row,
    await fixture.storage.read.selectFrom('audit_log').selectAll().execute(),
  ])
  expect(everything).not.toContain(token)
  expect(everything).not.toContain(token.slice(14, 57))
  expect(await list()).toEqual([
    expect.objectContaining({
      id: keyId,
      name: 'Shop',
      mode: 'live',
      state: 'active',
      lastFour: token.slice(-4),
      scopes: ['messages:send', 'messages:read', 'status:read', 'balance:read'],
      addresses: [],
      dailyCap: null,
      lastUsedAt: null,
    }),
  ])
})

test('keeps scopes, addresses, cap and expiry', async () => {
  const expiresAt = fixture.clock.now() + 1_000
  await fixture.addKey({
    accountId,
    mode: 'test',
    scopes: ['status:read'],
    addresses: ['10.0.0.0/8'],
    dailyCap: 5,
    expiresAt,
  })
  expect(await list()).toEqual([
    expect.objectContaining({
      mode: 'test',
      scopes: ['status:read'],
      addresses: ['10.0.0.0/8'],
      dailyCap: 5,
      expiresAt,
      state: 'active',
    }),
  ])
  await fixture.clock.advance(1_000)
  expect((await list())[0]?.state).toBe('expired')
})

test('refuses what no key can be, all of it at once', async () => {
  const bad = {
    scopes: ['messages:sent'],
    addresses: ['nowhere'],
    dailyCap: 0,
    expiresAt: fixture.clock.now(),
  }
  await expect(fixture.addKey({ accountId, name: ' ', ...bad })).rejects.toMatchObject({
    code: 'validation_failed',
    extra: {
      errors: ['/name', '/scopes', '/addresses', '/daily_cap', '/expires_at'].map((pointer) =>
        expect.objectContaining({ pointer }),
      ),
    },
  })
  await expect(fixture.addKey({ accountId, scopes: [] })).rejects.toThrow('at least one scope')
  await expect(fixture.addKey({ accountId: 'acc_none' })).rejects.toMatchObject({ code: 'not_found' })
})

test('ten keys may be active; expired and revoked ones do not count', async () => {
  const { keyId } = await fixture.addKey({ accountId })
  await fixture.addKey({ accountId, expiresAt: fixture.clock.now() + 1_000 })
  for (let i = 0; i < 8; i++) await fixture.addKey({ accountId, mode: i % 2 === 0 ? 'live' : 'test' })
  await expect(fixture.addKey({ accountId })).rejects.toThrow('has 10 active keys already')
  await fixture.clock.advance(1_000)
  await fixture.addKey({ accountId })
  await expect(fixture.addKey({ accountId })).rejects.toThrow('has 10 active keys already')
  await revoke(keyId)
  await fixture.addKey({ accountId })
})

test('of eleven that are made at once ten are', async () => {
  const made = await Promise.allSettled(Array.from({ length: 11 }, () => fixture.addKey({ accountId })))
  expect(made.filter((one) => one.status === 'fulfilled')).toHaveLength(10)
})

test('a revoked key stays revoked, and is said to be so', async () => {
  const { keyId } = await fixture.addKey({ accountId })
  const before = await fixture.directoryVersion()
  expect(await revoke(keyId)).toBe(true)
  expect(await revoke(keyId)).toBe(false)
  expect((await list())[0]).toMatchObject({ state: 'revoked', revokedAt: fixture.clock.now() })
  expect(await fixture.directoryVersion()).toBe(before + 1)
  expect(await fixture.audited()).toEqual(['account.created', 'api_key.created', 'api_key.revoked'])
  await expect(revoke('key_none')).rejects.toMatchObject({ code: 'not_found' })
})

test('a closed account gets no keys', async () => {
  const close = { accountId, state: 'closed', actor: 'test' } as const
  await fixture.storage.writer.write((tx) =>
    setAccountState(tx, { ...fixture.deps(), cancelWaiting: async () => 0 }, close),
  )
  await expect(fixture.addKey({ accountId })).rejects.toThrow('is closed')
})

test('writes down when keys were last used, and tells no node of it', async () => {
  const { keyId } = await fixture.addKey({ accountId })
  const before = await fixture.directoryVersion()
  await fixture.storage.writer.write((tx) => touchLastUsed(tx, [{ keyId, atMs: 60_000 }]))
  expect((await list())[0]?.lastUsedAt).toBe(60_000)
  expect(await fixture.directoryVersion()).toBe(before)
})

test('every server learns of a new key', async () => {
  const before = await fixture.directoryVersion()
  await fixture.addKey({ accountId })
  expect(await fixture.directoryVersion()).toBe(before + 1)
})
