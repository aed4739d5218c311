import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Link } from '../../src/connectors/connector.ts'
import { chooseDevice } from '../../src/dispatch/choose-device.ts'
import { resumeReceipts } from '../../src/dispatch/resume-receipts.ts'
import { routeFrom } from '../../src/dispatch/route-ring.ts'
import { touchDirectory } from '../../src/storage/directory-version.ts'
import { insertRows } from '../../src/storage/sets.ts'
import { eventually } from '../eventually.ts'
import { openPoolHouse, type PoolHouse } from './pool-house.ts'

let house: PoolHouse
beforeEach(async () => {
  house = await openPoolHouse()
})
afterEach(() => house.close())

test('a device that takes long to start keeps no other from it', async () => {
  await house.put('dev_a', 'slow')
  await house.put('dev_b', 'at once')
  await house.reload()
  await house.isRunning('dev_b')
  await house.put('dev_c', 'at once')
  await house.reload()
  await house.isRunning('dev_b', 'dev_c')
  house.linkOf('dev_a').finishStart()
  await house.isRunning('dev_a', 'dev_b', 'dev_c')
  expect(house.pool.forAccount('acc_a', 'live')).toHaveLength(3)
  expect(house.links).toHaveLength(3)
})

test('a link that judges by them knows the receipts that are expected before it starts, and any other after it', async () => {
  const receipt = { account_id: 'acc_a', mode: 'live' as const, message_id: 'msg_a', attempt_number: 1, wire_parts: 1, sent_at: 1 }
  const expected = ['dev_a', 'dev_b'].map((device_id) => ({ ...receipt, device_id, network_id: `of ${device_id}` }))
  await house.storage.writer.write(async (tx) => {
    await insertRows(tx, 'accounts', [
      { id: 'acc_a', name: 'A', state: 'active', created_at: 1, updated_at: 1 },
    ])
    await insertRows(tx, 'wallets', [
      { account_id: 'acc_a', mode: 'live', granted: 0, reserved: 0, used: 0, low_threshold: 0, refilled_day: null },
    ])
    await insertRows(tx, 'receipts_expected', expected)
  })
  await house.put('dev_a', 'knows first')
  await house.put('dev_b', 'at once')
  await house.reload()
  await house.isRunning('dev_a', 'dev_b')
  expect(house.linkOf('dev_a').told).toEqual(['of dev_a', 'start'])
  expect(house.linkOf('dev_b').told).toEqual(['start', 'of dev_b'])
  // So many that the database gives up is no reason to carry nothing.
  await house.put('dev_a', 'knows too much', 2)
  await house.reload()
  await eventually(() => house.linkOf('dev_a', 1)?.told, (told) => expect(told).toEqual(['start']))
}) // prettier-ignore

test('a link that judges by them is told the latest receipts, of each account its share, and reads no more once it is given up', async () => {
  const row = { mode: 'live' as const, message_id: 'msg_a', attempt_number: 1, wire_parts: 1, device_id: 'dev_a' }
  const expected = ['acc_a', 'acc_b'].flatMap((account_id, late) =>
    [1, 2, 3, 4].map((at) => ({ ...row, account_id, network_id: `${account_id} ${at}`, sent_at: 10 * late + at })),
  )
  await house.storage.writer.write(async (tx) => {
    for (const id of ['acc_a', 'acc_b']) {
      await insertRows(tx, 'accounts', [{ id, name: id, state: 'active', created_at: 1, updated_at: 1 }])
      await insertRows(tx, 'wallets', [{ account_id: id, mode: 'live', granted: 0, reserved: 0, used: 0, low_threshold: 0, refilled_day: null }])
    }
    await insertRows(tx, 'receipts_expected', expected)
  })
  const told: string[] = []
  const resume = (rows: readonly { networkId: string }[]) => void told.push(...rows.map(({ networkId }) => networkId))
  const link = { resumesFirst: { most: 4 }, resume } as unknown as Link
  await resumeReceipts(house.storage.read, 'dev_a', link)
  expect(told).toEqual(['acc_a 3', 'acc_a 4', 'acc_b 3', 'acc_b 4'])
  told.length = 0
  let looks = 0
  await resumeReceipts(house.storage.read, 'dev_a', { resume } as unknown as Link, () => looks++ === 0)
  expect(told).toHaveLength(4)
}) // prettier-ignore

test('a change gives a start under way up, and never are there two links of one device', async () => {
  await house.put('dev_a', 'slow')
  await house.reload()
  await house.isStarting('dev_a')
  await house.put('dev_a', 'at once', 2)
  await house.reload()
  await house.isRunning('dev_a')
  expect(house.linkOf('dev_a', 0).stops).toBeGreaterThan(0)
  house.linkOf('dev_a', 0).finishStart()
  await house.drain()
  await house.isRunning('dev_a')
  expect(house.linkOf('dev_a', 1).stops).toBe(0)
  expect(house.mostAtOnce()).toBe(1)
})

test('a device that is disabled while it starts does not run when its start ends', async () => {
  await house.put('dev_a', 'slow')
  await house.reload()
  await house.isStarting('dev_a')
  await house.disable('dev_a')
  await house.reload()
  house.linkOf('dev_a').finishStart()
  await house.isFree('dev_a')
  await house.drain()
  expect(house.running()).toEqual([])
  expect(house.linkOf('dev_a').stops).toBeGreaterThan(0)
})

test('a start that fails late is tried again in half a minute', async () => {
  await house.put('dev_a', 'slow')
  await house.reload()
  await house.isStarting('dev_a')
  house.linkOf('dev_a').failStart()
  await house.isFree('dev_a')
  await house.reload()
  expect(house.links).toHaveLength(1)
  await house.clock.advance(30_000)
  await house.reload()
  await house.isStarting('dev_a', 1)
  house.linkOf('dev_a', 1).finishStart()
  await house.isRunning('dev_a')
})

test('a stop waits for no start', async () => {
  await house.put('dev_a', 'slow')
  const reloading = house.pool.reloadIfChanged()
  await eventually(
    () => house.links.length,
    (count) => expect(count).toBe(1),
  )
  await house.pool.stop()
  await reloading
  expect(house.running()).toEqual([])
})

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
  expect(house.mostAtOnce()).toBe(1)
  await other.stop()
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
  const say = (status: 'online' | 'offline') =>
    writer.write(async (tx) => {
      await tx.deleteFrom('device_reports').execute()
      const said = { device_id: 'own', status, reasons: '[]', body: '{"throughput":null}' }
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
  expect(runtime?.isHeld).toBe(false)
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
  expect(house.mostAtOnce()).toBe(1)
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

test('a link knows when the last session of those before it was over, also where its device was disabled in between', async () => {
  await house.put('dev_a', 'at once')
  await house.put('dev_b', 'at once')
  await house.reload()
  await house.isRunning('dev_a', 'dev_b')
  Object.assign(house.linkOf('dev_a').lastSession ?? {}, { endedMs: 7 })
  await house.put('dev_a', 'at once', 2)
  await house.reload()
  await house.isStarting('dev_a', 1)
  expect(house.linkOf('dev_a', 1).lastSession).toEqual({ endedMs: 7 })
  await house.disable('dev_a')
  await house.reload()
  await house.isFree('dev_a')
  await house.storage.writer.write(async (tx) => {
    await tx
      .updateTable('devices')
      .set({ state: 'enabled', updated_at: 3 })
      .where('id', '=', 'dev_a')
      .execute()
    await touchDirectory(tx)
  })
  await house.reload()
  await house.isStarting('dev_a', 2)
  expect(house.linkOf('dev_a', 2).lastSession).toEqual({ endedMs: 7 })
  expect(house.linkOf('dev_b').lastSession).toEqual({ endedMs: null })
})
