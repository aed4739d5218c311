import { expect, test } from 'vitest'
import { mintPhoneToken } from '../../src/devices/phones/phone-tokens.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { grantSms } from '../../src/ledger/grants.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { type DeskHouse, openDeskHouse, sayAll } from './gateway-fixture.ts'

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => `+4915112345${600 + i}`)

async function openPoorHouse(balance = 0) {
  const house = await openDeskHouse()
  await house.storage.writer.write(async (tx) => {
    await tx.updateTable('wallets').set({ granted: 0 }).where('account_id', '=', 'acc_a').execute()
    await tx.deleteFrom('ledger_entries').where('account_id', '=', 'acc_a').execute()
    const grant = { accountId: 'acc_a', mode: 'live', sms: balance, kind: 'grant', note: 'test', actor: 'test' } as const // prettier-ignore
    if (balance > 0) await grantSms(tx, { ids: house.ids, nowMs: house.clock.now() }, grant)
  })
  const meter = () =>
    house.storage.read
      .selectFrom('wallets')
      .select(['reserved', 'used', 'own_reserved', 'own_used'])
      .where('account_id', '=', 'acc_a')
      .where('mode', '=', 'live')
      .executeTakeFirstOrThrow()
  return { house, meter }
}

/** A phone that the operator shares with all accounts. */
async function registerShared(house: DeskHouse, iccid: string) {
  const { token } = await house.storage.writer.write((tx) =>
    mintPhoneToken(
      tx,
      { ids: house.ids, nowMs: house.clock.now(), randomBytes: (count) => new Uint8Array(count).fill(7) },
      { accountId: null, mode: 'live', actor: 'test' },
    ),
  )
  return house.register(iccid, token)
}

test('twenty messages over an own phone are sent with a balance of 0, counted beside it, and every sum holds', async () => {
  const { house, meter } = await openPoorHouse()
  const phone = await house.register('1')
  await house.storage.writer.write(async (tx) => {
    const unpaced = { parts_per_window: null, window_seconds: null, updated_at: house.clock.now() + 1 }
    await tx.updateTable('devices').set(unpaced).execute()
    await touchDirectory(tx)
  })
  await house.pool.reloadIfChanged()
  await house.send({ to: numbers(20), parts: 2, paidBy: 'own_device' })
  expect(await meter()).toEqual({ reserved: 0, used: 0, own_reserved: 40, own_used: 0 })
  for (let turn = 0; turn < 30 && (await meter()).own_reserved > 0; turn++) {
    const page = (await house.pull(phone)).filter(({ isAgain, state }) => !isAgain && state === 'pending')
    await house.report(phone, ...page.map(sayAll('pending')))
    await house.report(phone, ...page.map(sayAll('delivered')))
    await house.clock.advance(60_000)
  }
  expect(new Set(await house.statuses())).toEqual(new Set(['delivered']))
  expect(await meter()).toEqual({ reserved: 0, used: 0, own_reserved: 0, own_used: 40 })
  await expectSums(house.storage.read, house.clock.now())
})

test('a phone of the operator is never given what only own devices may carry', async () => {
  const { house, meter } = await openPoorHouse()
  const shared = await registerShared(house, '2')
  await house.send({ to: numbers(2), paidBy: 'own_device' })
  expect(await house.pull(shared)).toEqual([])
  expect(await house.statuses()).toEqual(['queued', 'queued'])
  expect(await meter()).toEqual({ reserved: 0, used: 0, own_reserved: 2, own_used: 0 })
  await expectSums(house.storage.read, house.clock.now())
})

test('with a fallback and a balance of 1, the own phone sends for nothing and the balance stays 1', async () => {
  const { house, meter } = await openPoorHouse(1)
  const own = await house.register('1')
  const shared = await registerShared(house, '2')
  expect(await house.send({ fallback: 'shared' })).toMatchObject({ kind: 'accepted', balanceAvailable: 0 })
  expect(await house.send({ fallback: 'shared' })).toMatchObject({ code: 'insufficient_balance' })
  expect(await house.pull(shared)).toEqual([])
  const offers = await house.pull(own)
  expect(await meter()).toEqual({ reserved: 1, used: 0, own_reserved: 0, own_used: 0 })
  await house.report(own, ...offers.map(sayAll('sent')))
  expect(await house.statuses()).toEqual(['sent'])
  expect(await meter()).toEqual({ reserved: 0, used: 0, own_reserved: 0, own_used: 1 })
  await expectSums(house.storage.read, house.clock.now())
})

test('with a fallback and a balance of 1, a shared phone sends while no own one works, and the balance is 0', async () => {
  const { house, meter } = await openPoorHouse(1)
  const shared = await registerShared(house, '2')
  await house.send({ fallback: 'shared' })
  await house.report(shared, ...(await house.pull(shared)).map(sayAll('delivered')))
  expect(await house.statuses()).toEqual(['delivered'])
  expect(await meter()).toEqual({ reserved: 0, used: 1, own_reserved: 0, own_used: 0 })
  await expectSums(house.storage.read, house.clock.now())
})
