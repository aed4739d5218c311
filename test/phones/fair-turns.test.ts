import { expect, test } from 'vitest'
import { reportLifetimeMs } from '../../src/devices/status/device-report.ts'
import type { KnownPhone } from '../../src/devices/phones/known-phone.ts'
import { routingFor } from '../../src/dispatch/devices/routing.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { type DeskHouse, openDeskHouse, sayAll } from './gateway-fixture.ts'

/** A phone that every account may use, without a pace. */
async function registerShared(house: DeskHouse): Promise<KnownPhone> {
  const phone = await house.register('1')
  await house.storage.writer.write(async (tx) => {
    const shared = { account_id: null, parts_per_window: null, window_seconds: null }
    await tx
      .updateTable('devices')
      .set({ ...shared, updated_at: house.clock.now() + 1 })
      .execute()
    await touchDirectory(tx)
  })
  await house.pool.reloadIfChanged()
  return phone
}

async function addSenders(house: DeskHouse, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, i) => `acc_b${String(i).padStart(3, '0')}`)
  for (const id of ids) await house.addAccount(id, 10)
  return ids
}

test('accounts that share a phone have it in turn, however many messages the first of them have', async () => {
  const house = await openDeskHouse({ window: 10 })
  const phone = await registerShared(house)
  const accounts = await addSenders(house, 30)
  for (const accountId of accounts)
    await house.send({ accountId, to: ['+4915112345601', '+4915112345602', '+4915112345603'] })
  for (let pulls = 0; pulls < 3; pulls++) {
    const offers = await house.pull(phone)
    expect(offers).toHaveLength(10)
    await house.report(
      phone,
      ...offers.map(({ attemptId }) => ({ attemptId, state: 'pending' as const, error: null })),
    )
  }
  const given = await house.storage.read.selectFrom('phone_offers').select('account_id').execute()
  expect(given.map((row) => row.account_id).toSorted()).toEqual(accounts)
})

test('what a phone cannot carry hides nothing that it can, however much of it waits', async () => {
  const house = await openDeskHouse()
  const phone = await registerShared(house)
  for (const accountId of await addSenders(house, 300)) await house.send({ accountId, from: 'Shop' })
  await house.addAccount('acc_z', 10)
  await house.send({ accountId: 'acc_z', to: ['+4915112345699'] })
  expect((await house.pull(phone)).map(({ to }) => to)).toEqual(['+4915112345699'])
})

test('of a suspended account a phone is given nothing, and of others as before', async () => {
  const house = await openDeskHouse()
  const phone = await registerShared(house)
  await house.addAccount('acc_b', 10)
  await house.send()
  await house.send({ accountId: 'acc_b', to: ['+4915112345699'] })
  const become = async (state: 'suspended' | 'active') => {
    await house.storage.writer.write(async (tx) => {
      await tx.updateTable('accounts').set({ state }).where('id', '=', 'acc_a').execute()
      await touchDirectory(tx)
    })
    await house.pool.reloadIfChanged()
  }
  await become('suspended')
  const offers = await house.pull(phone)
  expect(offers.map(({ to }) => to)).toEqual(['+4915112345699'])
  await house.report(phone, ...offers.map(sayAll('pending')))
  await become('active')
  expect(await house.pull(phone)).toHaveLength(1)
})

test('a fetch looks at 1,000 routes, and the next at those behind them', async () => {
  const house = await openDeskHouse()
  const phone = await registerShared(house)
  await house.addAccount('acc_z', 10)
  await house.send({ accountId: 'acc_z', to: ['+4915112345698'] })
  const addOthers = (from: number, to: number) =>
    house.storage.writer.write((tx) =>
      insertRows(tx, 'queue_totals', Array.from({ length: to - from }, (_, i) => ({
        account_id: 'acc_b', mode: 'live', route_key: routeKeyOf({ mode: 'live', sender: `Shop${from + i}` }), messages: 1, parts: 1, next_expiry_at: 0,
      }))),
    ) // prettier-ignore
  await addOthers(0, 999)
  const offers = await house.pull(phone)
  expect(offers.map(({ to }) => to)).toEqual(['+4915112345698'])
  await house.report(phone, ...offers.map(sayAll('pending')))
  await house.send({ accountId: 'acc_z', to: ['+4915112345699'] })
  await addOthers(999, 1_000)
  expect(await house.pull(phone)).toEqual([])
  expect((await house.pull(phone)).map(({ to }) => to)).toEqual(['+4915112345699'])
})

test('the known number of a SIM is a sender of its phone without more words, and what names it goes over that SIM', async () => {
  const numbers = new Map([['+4915100000002', 2]])
  const house = await openDeskHouse({ sims: { simOf: numbers, turns: [] } })
  const phone = await house.register('1')
  const isEnabled = (from: string) => routingFor(house.pool, 'acc_a', 'live', from).enabled
  expect(['+4915100000002', '+4915100000009'].map(isEnabled)).toEqual([true, false])
  await house.send({ from: '+4915100000002', to: ['+4915112345601'] })
  await house.send({ from: '+4915100000009', to: ['+4915112345602'] })
  expect((await house.pull(phone)).map(({ to, sim }) => [to, sim])).toEqual([['+4915112345601', 2]])
})

test('the number that a SIM told another node is a sender here, too, until that node is silent of it', async () => {
  const house = await openDeskHouse()
  const { deviceId } = await house.register('2')
  const reportedAt = house.clock.now()
  const from = '+4915100000002'
  const isEnabled = () => routingFor(house.pool, 'acc_a', 'live', from).enabled
  const isChosen = () =>
    house.pool
      .candidatesFor({ accountId: 'acc_a', mode: 'live', sender: from } as never)
      .map(({ senders }) => senders.has(from))
  house.silent.add(deviceId)
  house.pool.remoteDeviceReports([{ deviceId, status: 'online', reportedAt }])
  expect([isEnabled(), isChosen()]).toEqual([false, [false]])
  house.pool.remoteDeviceReports([{ deviceId, status: 'online', numbers: [from], reportedAt }])
  expect([isEnabled(), isChosen()]).toEqual([true, [true]])
  await house.clock.advance(reportLifetimeMs)
  expect(isEnabled()).toBe(false)
})

test('what waits for a phone that another node hears is given to no shared phone here, until that node is silent of it', async () => {
  const house = await openDeskHouse()
  const shared = await registerShared(house)
  const own = await house.register('2')
  house.silent.add(own.deviceId)
  house.pool.remoteDeviceReports([
    { deviceId: own.deviceId, status: 'online', reportedAt: house.clock.now() },
  ])
  await house.send({ to: ['+4915112345601', '+4915112345602'] })
  expect(await house.pull(shared)).toEqual([])
  expect((await house.pull(own)).map(({ to }) => to)).toEqual(['+4915112345601', '+4915112345602'])
  await house.send({ to: ['+4915112345603'] })
  await house.clock.advance(reportLifetimeMs)
  expect((await house.pull(shared)).map(({ to }) => to)).toEqual(['+4915112345603'])
})
