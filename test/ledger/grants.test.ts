import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ledgerChecks } from '../../src/ledger/ledger-audit.ts'
import { readBalance } from '../../src/ledger/balance.ts'
import { type Grant, grantSms, openWallets, refillTestWallets } from '../../src/ledger/grants.ts'
import { WalletChanges } from '../../src/ledger/ledger.ts'
import type { Mode } from '../../src/storage/tables/schema.ts'
import { type AccountsFixture, openAccountsFixture } from '../accounts/accounts-fixture.ts'

let fixture: AccountsFixture
let accountId: string
beforeEach(async () => {
  fixture = await openAccountsFixture()
  ;({ accountId } = await fixture.addAccount())
})
afterEach(() => fixture.close())

const dayMs = 86_400_000
const grant = (row: Partial<Grant> & { sms: number }) =>
  fixture.storage.writer.write((tx) =>
    grantSms(tx, fixture.deps(), {
      accountId,
      mode: 'live',
      kind: 'grant',
      note: 'A note.',
      actor: 'test',
      ...row,
    }),
  )
const balance = (mode: Mode = 'live') =>
  readBalance(fixture.storage.read, accountId, mode, fixture.clock.now())
const setWallet = (mode: Mode, columns: { reserved?: number; used?: number }) =>
  fixture.storage.writer.write((tx) =>
    tx.updateTable('wallets').set(columns).where('mode', '=', mode).execute(),
  )
const brokenSums = async (): Promise<string[]> => {
  const at = { nowMs: fixture.clock.now(), receiptWindowMs: 0 }
  const found = await Promise.all(ledgerChecks.map((check) => check.find(fixture.storage.read, at)))
  return ledgerChecks.filter((_, i) => found[i]?.length !== 0).map((check) => check.name)
}
const refill = (limit = 100) =>
  fixture.storage.writer.write((tx) => refillTestWallets(tx, fixture.deps(), { playSms: 1_000, limit }))

test('a grant raises the balance by as much as the ledger says, and is audited', async () => {
  expect(await grant({ sms: 100 })).toMatchObject({ granted: 110, available: 110 })
  expect(await balance()).toMatchObject({ available: 110, granted: 110 })
  expect(await balance('test')).toMatchObject({ granted: 1_000 })
  expect(await brokenSums()).toEqual([])
  expect(await fixture.audited()).toEqual(['account.created', 'balance.granted'])
})

test('a correction takes back what is neither used nor reserved, and not one more', async () => {
  await grant({ sms: 10 })
  await setWallet('live', { reserved: 4, used: 3 })
  await expect(grant({ sms: -14, kind: 'correction' })).rejects.toThrow(
    'Cannot take back 14 SMS: only 13 of 20 are neither used nor reserved.',
  )
  expect(await grant({ sms: -13, kind: 'correction' })).toMatchObject({ granted: 7, available: 0 })
  await expect(grant({ sms: -1, kind: 'correction' })).rejects.toThrow('only 0 of 7')
})

test('only a correction may be negative, nothing may be 0, fractional or beyond reason, and a note must stand', async () => {
  await expect(grant({ sms: -1 })).rejects.toThrow('Only a correction')
  await expect(grant({ sms: -1, kind: 'top_up' })).rejects.toThrow('Only a correction')
  for (const sms of [0, 1.5, Number.NaN, Infinity, 1_000_000_001, -1_000_000_001]) {
    await expect(grant({ sms, kind: 'correction' })).rejects.toThrow('whole number')
  }
  await expect(grant({ sms: 1, note: ' ' })).rejects.toThrow('needs a note')
  await expect(grant({ sms: 1, accountId: 'acc_none' })).rejects.toMatchObject({ code: 'not_found' })
  expect(await balance()).toMatchObject({ granted: 10 })
  expect(await brokenSums()).toEqual([])
})

test('whatever is granted and taken back, at once or in turn, the ledger adds up and nothing falls below 0', async () => {
  const amounts = fc.array(
    fc.integer({ min: -30, max: 30 }).filter((sms) => sms !== 0),
    { minLength: 1, maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(amounts, async (all) => {
      await Promise.allSettled(all.map((sms) => grant({ sms, kind: sms < 0 ? 'correction' : 'grant' })))
      expect((await balance())?.available).toBeGreaterThanOrEqual(0)
      expect(await brokenSums()).toEqual([])
    }),
    { numRuns: 25 },
  )
})

test('the balance adds up and counts UTC days and months', async () => {
  await setWallet('live', { reserved: 2, used: 6 })
  const today = Math.floor(fixture.clock.now() / dayMs)
  const days = [
    { day: today, parts: 1 },
    { day: today - 20, parts: 2 }, // 1 November
    { day: today - 21, parts: 3 }, // 31 October
  ]
  await fixture.storage.writer.write((tx) =>
    tx
      .insertInto('usage_days')
      .values(days.map((row) => ({ account_id: accountId, mode: 'live', ...row })))
      .execute(),
  )
  expect(await balance()).toEqual({
    available: 2,
    reserved: 2,
    used: 6,
    ownReserved: 0,
    ownUsed: 0,
    granted: 10,
    lowThreshold: 5,
    isLow: true,
    usedToday: 1,
    usedThisMonth: 3,
  })
  expect(await balance('test')).toMatchObject({
    available: 1_000,
    isLow: false,
    usedToday: 0,
    usedThisMonth: 0,
  })
  expect(await readBalance(fixture.storage.read, 'acc_none', 'live', fixture.clock.now())).toBeNull()
})

test('at 00:00 UTC a test wallet has its play SMS again, once', async () => {
  await setWallet('test', { reserved: 30, used: 120 })
  await fixture.storage.writer.write((tx) =>
    tx.insertInto('usage_days').values({ account_id: accountId, mode: 'test', day: 1, parts: 120 }).execute(),
  )
  expect(await refill()).toBe(0)
  // 09:30 to one millisecond before midnight: still the same day.
  await fixture.clock.advance(14.5 * 3_600_000 - 1)
  expect(await refill()).toBe(0)
  await fixture.clock.advance(1)
  expect(await refill()).toBe(1)
  expect(await refill()).toBe(0)
  expect(await balance('test')).toMatchObject({ granted: 1_150, available: 1_000, reserved: 30, used: 120 })
  expect(await balance('live')).toMatchObject({ granted: 10 })
  expect(await brokenSums()).toEqual([])
})

test('a wallet that nobody used is refilled without an entry, and one that was granted more comes back to the play SMS', async () => {
  await fixture.clock.advance(dayMs)
  expect(await refill()).toBe(1)
  const entries = () =>
    fixture.storage.read
      .selectFrom('ledger_entries')
      .select('sms')
      .where('mode', '=', 'test')
      .orderBy('created_at')
      .execute()
  expect(await entries()).toEqual([{ sms: 1_000 }])
  await grant({ sms: 500, mode: 'test' })
  await fixture.clock.advance(dayMs)
  expect(await refill()).toBe(1)
  expect(await balance('test')).toMatchObject({ available: 1_000 })
  expect(await entries()).toEqual([{ sms: 1_000 }, { sms: 500 }, { sms: -500 }])
})

test('many wallets are refilled in bounded pieces, each once', async () => {
  for (let i = 0; i < 4; i++) await fixture.addAccount({ email: `owner${i}@example.org` })
  await setWallet('test', { used: 7 })
  await fixture.clock.advance(dayMs)
  expect([await refill(2), await refill(2), await refill(2), await refill(2)]).toEqual([2, 2, 1, 0])
  const wallets = await fixture.storage.read
    .selectFrom('wallets')
    .select('granted')
    .where('mode', '=', 'test')
    .execute()
  expect(wallets.map((wallet) => wallet.granted)).toEqual([1_007, 1_007, 1_007, 1_007, 1_007])
})

test('what a new account is given is in its ledger, and nothing else', async () => {
  const open = async (freeSms: number, playSms: number) => {
    const id = `acc_${freeSms}_${playSms}`
    await fixture.storage.writer.write(async (tx) => {
      await tx
        .insertInto('accounts')
        .values({ id, name: id, state: 'active', created_at: 0, updated_at: 0 })
        .execute()
      await openWallets(tx, fixture.deps(), {
        accountId: id,
        freeSms,
        playSms,
        lowThreshold: 0,
        actor: 'test',
      })
    })
    const entries = fixture.storage.read.selectFrom('ledger_entries').select(['mode', 'kind', 'sms'])
    return entries.where('account_id', '=', id).orderBy('mode').execute()
  }
  expect(await open(0, 0)).toEqual([])
  expect(await open(1, 1)).toEqual([
    { mode: 'live', kind: 'grant', sms: 1 },
    { mode: 'test', kind: 'refill', sms: 1 },
  ])
})

test('what own devices hold and carry in one batch is counted beside the balance', async () => {
  const own = { accountId, mode: 'live', paidBy: 'own_device' } as const
  await fixture.storage.writer.write(async (tx) => {
    const changes = new WalletChanges()
    changes.reserve(own, 1)
    changes.settle(own, { held: 1, charged: 1, atMs: fixture.clock.now() })
    await changes.apply(tx)
  })
  expect(await balance()).toMatchObject({ available: 10, reserved: 0, used: 0, ownReserved: 0, ownUsed: 1 })
})

test('a hold that ends without a charge is no use of a day', async () => {
  await fixture.storage.writer.write(async (tx) => {
    const changes = new WalletChanges()
    changes.reserve({ accountId, mode: 'live' }, 2)
    changes.settle({ accountId, mode: 'live' }, { held: 2, charged: 0, atMs: fixture.clock.now() })
    await changes.apply(tx)
  })
  expect(await fixture.storage.read.selectFrom('usage_days').selectAll().execute()).toEqual([])
  expect(await balance()).toMatchObject({ available: 10 })
})
