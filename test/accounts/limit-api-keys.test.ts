import { afterEach, beforeEach, expect, test } from 'vitest'
import { listApiKeys, revokeApiKey } from '../../src/accounts/keys/api-keys.ts'
import { limitApiKeys, readKeyLimits } from '../../src/accounts/keys/limit-api-keys.ts'
import { type AccountsFixture, openAccountsFixture } from './accounts-fixture.ts'

let fixture: AccountsFixture
let accountId: string
beforeEach(async () => {
  fixture = await openAccountsFixture()
  ;({ accountId } = await fixture.addAccount())
})
afterEach(() => fixture.close())

const whose = () => ({ accountId, mode: 'live' as const })
const limit = (dailyCap: number) =>
  fixture.storage.writer.write((tx) =>
    limitApiKeys(tx, fixture.deps(), { ...whose(), dailyCap, actor: 'test' }),
  )
const limits = async () => {
  const found = await readKeyLimits(fixture.storage.read, whose(), fixture.clock.now())
  return found.toSorted((a, b) => (a ?? 0) - (b ?? 0))
}
const capsByName = async () => {
  const nowMs = fixture.clock.now()
  const keys = await listApiKeys(fixture.storage.read, { accountId, nowMs, limit: 100 })
  return Object.fromEntries(keys.map(({ name, dailyCap }) => [name, dailyCap]))
}

test('a daily limit is given to the active keys that send and have none, and to no other', async () => {
  await fixture.addKey({ accountId, name: 'Shop' })
  await fixture.addKey({ accountId, name: 'Tight', dailyCap: 5 })
  await fixture.addKey({ accountId, name: 'Reader', scopes: ['messages:read'] })
  await fixture.addKey({ accountId, name: 'Test', mode: 'test' })
  const { keyId } = await fixture.addKey({ accountId, name: 'Revoked' })
  await fixture.addKey({ accountId, name: 'Ended', expiresAt: fixture.clock.now() + 1_000 })
  await fixture.storage.writer.write((tx) => revokeApiKey(tx, fixture.deps(), { keyId, actor: 'test' }))
  await fixture.clock.advance(1_000)
  expect(await limits()).toEqual([null, 5])
  expect(await limit(200)).toBe(1)
  expect(await limits()).toEqual([5, 200])
  expect(await capsByName()).toEqual({ Shop: 200, Tight: 5, Reader: null, Test: null, Revoked: null, Ended: null }) // prettier-ignore
  expect(await limit(100)).toBe(0)
  const log = await fixture.storage.read.selectFrom('audit_log').select('action').execute()
  expect(log.filter(({ action }) => action === 'api_key.limited')).toHaveLength(1)
})

test.for([0, -1, 1.5, Number.NaN])('a limit of %d is refused, and no key is changed', async (dailyCap) => {
  await fixture.addKey({ accountId, name: 'Shop' })
  await expect(limit(dailyCap)).rejects.toThrow('The daily limit must be a whole number of SMS above 0.')
  expect(await limits()).toEqual([null])
})
