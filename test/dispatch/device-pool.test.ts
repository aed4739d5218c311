import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Link } from '../../src/connectors/connector.ts'
import { routingFor } from '../../src/dispatch/devices/routing.ts'
import { resumeReceipts } from '../../src/dispatch/devices/resume-receipts.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { eventually } from '../eventually.ts'
import { openPoolHouse, type PoolHouse, simNumber } from './pool-house.ts'

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
  // One that had no room for all is told again, for as long as it runs.
  for (const link of [house.linkOf('dev_a', 0), house.linkOf('dev_b')]) await link.resumeAgain?.()
  expect(house.linkOf('dev_a', 0).told).toEqual(['of dev_a', 'start'])
  expect(house.linkOf('dev_b').told).toEqual(['start', 'of dev_b', 'of dev_b'])
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
  expect(house.maxAtOnce()).toBe(1)
})

test('a phone that starts again is there for senders by the number of its SIM, while its former link stops and when it runs', async () => {
  await house.put('dev_a', 'visited stays')
  await house.reload()
  await house.isRunning('dev_a')
  await house.put('dev_a', 'visited slow', 2)
  await house.reload()
  expect(house.running()).toEqual([])
  const { pool, linkOf } = house
  const enabled = (sender: string) => routingFor(pool, 'acc_a', 'live', sender).enabled
  expect([enabled(simNumber), enabled('+4915559999999')]).toEqual([true, false])
  linkOf('dev_a').finishStop()
  await house.isStarting('dev_a', 1)
  expect(enabled(simNumber)).toBe(true)
  linkOf('dev_a', 1).finishStart()
  await house.isRunning('dev_a')
  await house.reload()
  expect(pool.servingAccount('acc_a', 'live')).toHaveLength(1)
  // Who removes a device, not only changes it, ends it at once.
  await house.disable('dev_a')
  await house.reload()
  expect(enabled(simNumber)).toBe(false)
})

test('a phone that another node visits sends from the number that this node reported for its SIM', async () => {
  const other = house.poolOf('two')
  await house.put('dev_a', 'visited')
  await house.reload()
  await house.isRunning('dev_a')
  const sims = [{ slot: 1, number: simNumber, carrier: null }]
  const body = JSON.stringify({ throughput: null, link: 'visit', sims })
  const said = { device_id: 'dev_a', status: 'online' as const, reasons: '[]', body }
  await house.storage.writer.write((tx) =>
    insertRows(tx, 'device_reports', [{ ...said, reported_at: house.clock.now(), told_by: 1 }]),
  )
  await other.reloadIfChanged()
  expect(routingFor(other, 'acc_a', 'live', simNumber)).toMatchObject({ enabled: true, online: true })
  expect(routingFor(other, 'acc_a', 'live', '+4915559999999').enabled).toBe(false)
  await other.stop()
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
