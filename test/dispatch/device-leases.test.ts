import { afterEach, beforeEach, expect, test } from 'vitest'
import { chooseDevice } from '../../src/dispatch/routes/choose-device.ts'
import { routeFrom } from '../../src/dispatch/routes/route-ring.ts'
import type { DeviceRow } from '../../src/dispatch/devices/device-slot.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openPoolHouse, type PoolHouse } from './pool-house.ts'

let house: PoolHouse
beforeEach(async () => {
  house = await openPoolHouse()
})
afterEach(() => house.close())

test('of two nodes one runs a link, and the other does once that one has stopped', async () => {
  const other = house.poolOf('two')
  await house.put('dev_a', 'at once')
  await house.reload()
  await house.isRunning('dev_a')
  await other.reloadIfChanged()
  expect([house.running(), other.all]).toEqual([['dev_a'], []])
  expect(house.aliveOf('dev_a')).toBe(1)
  await house.pool.stop()
  expect(await house.ownerOf('dev_a')).toBeNull()
  await house.pass(5)
  await other.reloadIfChanged()
  expect(other.all.map(({ candidate }) => candidate)).toHaveLength(1)
  expect(house.maxAtOnce()).toBe(1)
  await other.stop()
})

test('a phone that lost its lease while it was disabled is started anew once it is enabled', async () => {
  const set = (columns: Partial<DeviceRow>) =>
    house.storage.writer.write(async (tx) => {
      await tx.updateTable('devices').set(columns).execute()
      await touchDirectory(tx)
    })
  await house.put('dev_p', 'visited')
  await house.reload()
  await house.isRunning('dev_p')
  await house.disable('dev_p')
  await house.reload()
  expect(house.linkOf('dev_p').told).toEqual(['start', 'rest'])
  await set({ lease_owner: 'two', lease_token: 99, lease_until: house.clock.now() + 60_000 })
  await house.pass(20)
  expect(house.linkOf('dev_p').stops).toBe(1)
  await set({ lease_owner: null, lease_until: 0, state: 'enabled', updated_at: 2 })
  await house.reload()
  await house.isRunning('dev_p')
  expect(house.linkOf('dev_p', 1).starts).toBe(1)
  expect(house.maxAtOnce()).toBe(1)
})

test('a look for a lease that failed is made again, though nothing was changed meanwhile', async () => {
  let fails = false
  const other = house.poolOf('two', (table) => fails && table === 'accounts')
  await house.put('dev_a', 'at once')
  await house.reload()
  await house.isRunning('dev_a')
  await other.reloadIfChanged()
  fails = true
  await house.pass(5)
  await other.reloadIfChanged()
  fails = false
  await house.pool.stop()
  await other.reloadIfChanged()
  expect(other.all.map(({ facts }) => facts.id)).toEqual(['dev_a'])
  await other.stop()
})

test('a link that another node runs is known, though its report cannot be read now', async () => {
  const other = house.poolOf('two', (table) => table === 'device_reports')
  await house.put('dev_a', 'at once')
  await house.reload()
  await house.isRunning('dev_a')
  await other.reloadIfChanged()
  expect(other.servingAccount('acc_a', 'live').map(({ facts, isWorking }) => [facts.id, isWorking])).toEqual([
    ['dev_a', false],
  ])
  await other.stop()
})

test('a shared link carries nothing of an account whose own link works on another node, and all once that is down', async () => {
  const { writer } = house.storage
  await writer.write((tx) =>
    insertRows(tx, 'accounts', [{ id: 'acc_a', name: 'A', state: 'active', created_at: 1, updated_at: 1 }]),
  )
  await house.put('own', 'at once')
  await writer.write((tx) => tx.updateTable('devices').set({ account_id: 'acc_a' }).execute())
  await house.reload()
  await house.put('shared', 'at once')
  const other = house.poolOf('two')
  const say = (status: 'online' | 'degraded' | 'offline', isDoubted?: boolean) =>
    writer.write(async (tx) => {
      await tx.deleteFrom('device_reports').execute()
      const body = JSON.stringify({ throughput: null, isDoubted, sims: [] })
      const said = { device_id: 'own', status, reasons: '["repeated_failures"]', body }
      await insertRows(tx, 'device_reports', [{ ...said, reported_at: house.clock.now(), told_by: 1 }])
    })
  await say('online')
  await other.reloadIfChanged()
  expect(other.all.map(({ facts }) => facts.id)).toEqual(['shared'])
  const route = routeFrom({ account_id: 'acc_a', mode: 'live', route_key: 'live:' })
  expect(chooseDevice(route, other.candidatesFor(route))).toBe('none')
  expect(
    chooseDevice({ ...route, accountId: 'acc_b' }, other.candidatesFor({ ...route, accountId: 'acc_b' })),
  ).toMatchObject({ id: 'shared' })
  // What it says of itself puts it in no doubt; what its node found does.
  const own = () => other.candidatesFor(route).find(({ id }) => id === 'own')
  expect(own()).not.toHaveProperty('isDoubted')
  await say('degraded', true)
  await house.pass(5)
  await other.reloadIfChanged()
  expect(own()).toMatchObject({ isDoubted: true })
  await say('offline')
  await house.pass(5)
  await other.reloadIfChanged()
  expect(chooseDevice(route, other.candidatesFor(route))).toMatchObject({ id: 'shared' })
  await other.stop()
})

test('a link whose lease another node has taken stops, and runs again once that one lets it go', async () => {
  await house.put('dev_a', 'at once')
  await house.reload()
  await house.isRunning('dev_a')
  const [runtime] = house.pool.all
  expect(runtime?.candidate()).toMatchObject({ free: 10, leaseToken: 1 })
  const taken = { lease_owner: 'two', lease_token: 2, lease_until: house.clock.now() + 3_600_000 }
  await house.storage.writer.write((tx) =>
    tx.updateTable('devices').set(taken).where('id', '=', 'dev_a').execute(),
  )
  await house.pass(16)
  expect(runtime?.candidate().free).toBe(0)
  expect(runtime?.hasLease).toBe(false)
  expect(house.linkOf('dev_a').stops).toBe(1)
  expect(house.running()).toEqual([])
  expect(house.pool.servingAccount('acc_a', 'live').map(({ facts }) => facts.id)).toEqual(['dev_a'])
  await house.reload()
  expect(house.running()).toEqual([])
  expect(await house.ownerOf('dev_a')).toBe('two')
  await house.storage.writer.write((tx) =>
    tx
      .updateTable('devices')
      .set({ lease_owner: null, lease_until: null })
      .where('id', '=', 'dev_a')
      .execute(),
  )
  await house.pass(6)
  await house.reload()
  await house.isRunning('dev_a')
  expect(house.pool.all[0]?.candidate().leaseToken).toBe(3)
  expect(house.maxAtOnce()).toBe(1)
})

test('a change of a device keeps its lease, and one that is switched off gives it back', async () => {
  await house.put('dev_a', 'at once')
  await house.reload()
  await house.isRunning('dev_a')
  await house.put('dev_a', 'slow', 2)
  await house.reload()
  await house.isStarting('dev_a', 1)
  expect(await house.ownerOf('dev_a')).toBe('one')
  house.linkOf('dev_a', 1).finishStart()
  await house.isRunning('dev_a')
  expect(house.pool.all[0]?.candidate().leaseToken).toBe(1)
  await house.disable('dev_a')
  await house.reload()
  await house.isFree('dev_a')
})

test('a device that cannot be started holds no lease', async () => {
  await house.put('dev_a', 'slow')
  await house.reload()
  await house.isStarting('dev_a')
  expect(await house.ownerOf('dev_a')).toBe('one')
  house.linkOf('dev_a').failStart()
  await house.isFree('dev_a')
})

test('a device that can run on one node only is left to it, though no other has its lease', async () => {
  const other = house.poolOf('two')
  await house.put('dev_a', 'only two')
  await house.reload()
  expect([house.running(), await house.ownerOf('dev_a')]).toEqual([[], null])
  expect(house.pool.absent).toEqual([])
  expect(house.pool.servingAccount('acc_a', 'live').map(({ facts }) => facts.id)).toEqual(['dev_a'])
  await other.reloadIfChanged()
  expect(other.all.map(({ facts }) => facts.id)).toEqual(['dev_a'])
  await other.stop()
  await house.pass(60)
  expect([house.running(), await house.ownerOf('dev_a')]).toEqual([[], null])
})
