import { afterEach, beforeEach, expect, test } from 'vitest'
import { realKinds } from '../../src/connectors/registry.ts'
import { canFallBack } from '../../src/devices/core/own-carriers.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { type AccountsFixture, openAccountsFixture } from '../accounts/accounts-fixture.ts'

let fixture: AccountsFixture
let accountId: string
beforeEach(async () => {
  fixture = await openAccountsFixture()
  ;({ accountId } = await fixture.addAccount())
})
afterEach(() => fixture.close())

interface Standing {
  price: 'free' | 'charged'
  own: { state: 'enabled' | 'disabled'; kind: string }
  shared: { state: 'enabled' | 'disabled'; mode: 'live' | 'test' } | null
}

const good: Standing = {
  price: 'free',
  own: { state: 'enabled', kind: 'android' },
  shared: { state: 'enabled', mode: 'live' },
}

const device = (id: string) =>
  ({ id, mode: 'live', kind: 'smpp', name: id, state: 'enabled', senders: '[]', settings: '{}', created_at: 1, updated_at: 1 }) as const // prettier-ignore

test.for<[string, Partial<Standing>, boolean]>([
  ['own devices are free and a shared device is enabled', {}, true],
  ['own devices are charged', { price: 'charged' }, false],
  ['the own device is disabled', { own: { state: 'disabled', kind: 'android' } }, false],
  ['the own device only simulates', { own: { state: 'enabled', kind: 'simulator' } }, false],
  ['no device is shared', { shared: null }, false],
  ['the shared device is disabled', { shared: { state: 'disabled', mode: 'live' } }, false],
  ['the shared device is for test messages', { shared: { state: 'enabled', mode: 'test' } }, false],
])('where %s, a fallback means something or nothing', async ([, standing, expected]) => {
  const { price, own, shared } = { ...good, ...standing }
  await fixture.storage.writer.write(async (tx) => {
    await tx.updateTable('accounts').set({ own_devices: price }).where('id', '=', accountId).execute()
    await insertRows(tx, 'devices', [{ ...device('dev_own'), account_id: accountId, ...own }])
    if (shared !== null)
      await insertRows(tx, 'devices', [{ ...device('dev_shared'), account_id: null, ...shared }])
  })
  expect(await canFallBack(fixture.storage.read, accountId, realKinds)).toBe(expected)
})
