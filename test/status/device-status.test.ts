import { afterEach, beforeEach, expect, test } from 'vitest'
import { renderStatus } from '../../src/api/v1/status.ts'
import { reportLifetimeMs } from '../../src/devices/status/device-report.ts'
import { readDevicesStatus } from '../../src/devices/status/device-status.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import type { Mode } from '../../src/storage/tables/schema.ts'
import { storedMessage } from '../history/stored-messages.ts'
import { type DevicesFixture, openDevicesFixture } from './devices-fixture.ts'

let house: DevicesFixture
beforeEach(async () => {
  house = await openDevicesFixture()
  await house.addAccount('acc_ada')
  await house.addAccount('acc_bob')
})
afterEach(() => house.close())

const statusOf = async (accountId = 'acc_ada', mode: Mode = 'live') =>
  renderStatus(await readDevicesStatus(house.storage.read, { accountId, mode }, house.clock.now()), mode)

test('without a device nothing is configured and nothing accepted', async () => {
  expect(await statusOf()).toMatchObject({
    status: 'not_configured',
    accepting: false,
    reasons: ['no_device'],
    devices: [],
    devices_total: 0,
  })
})

test('a device that only waits to be set up is no device yet', async () => {
  await house.addDevice('dev_1', 'acc_ada', { state: 'pending' })
  expect(await statusOf()).toMatchObject({
    status: 'not_configured',
    accepting: false,
    reasons: ['device_pending'],
    devices: [{ status: 'pending' }],
  })
})

test('one device online is operational', async () => {
  await house.addDevice('dev_1', 'acc_ada')
  await house.report('dev_1')
  expect(await statusOf()).toMatchObject({
    status: 'operational',
    accepting: true,
    reasons: [],
    devices: [{ status: 'online', reasons: [] }],
  })
})

test('a device of which nobody has reported, or not for a while, is offline', async () => {
  await house.addDevice('dev_1', 'acc_ada')
  expect(await statusOf()).toMatchObject({
    status: 'down',
    accepting: true,
    reasons: ['device_offline'],
    devices: [{ status: 'offline', reasons: ['no_report'], link: null, capabilities: null }],
  })

  await house.report('dev_1')
  await house.clock.advance(reportLifetimeMs)
  expect(await statusOf()).toMatchObject({ status: 'operational' })
  await house.clock.advance(1)

  expect(await statusOf()).toMatchObject({
    status: 'down',
    accepting: true,
    devices: [{ status: 'offline', reasons: ['no_report'], app_version: '1.68.0' }],
  })
})

test('the latest report counts', async () => {
  await house.addDevice('dev_1', 'acc_ada')
  await house.report('dev_1')
  await house.report('dev_1', { status: 'degraded', reasons: ['battery_low', 'roaming'] })
  expect(await statusOf()).toMatchObject({
    status: 'degraded',
    reasons: ['device_degraded', 'battery_low', 'roaming'],
    devices: [{ status: 'degraded', reasons: ['battery_low', 'roaming'] }],
  })
})

test('one of two own devices offline is degraded', async () => {
  await house.addDevice('dev_1', 'acc_ada')
  await house.addDevice('dev_2', 'acc_ada')
  await house.report('dev_1')
  await house.report('dev_2', { status: 'offline', reasons: ['contact_late'] })
  expect(await statusOf()).toMatchObject({
    status: 'degraded',
    accepting: true,
    reasons: ['device_offline'],
    devices: [{ id: 'dev_2' }, { id: 'dev_1' }],
  })
})

test('a disabled device is nobody’s trouble, unless it is all there is', async () => {
  await house.addDevice('dev_1', 'acc_ada')
  await house.addDevice('dev_2', 'acc_ada', { state: 'disabled' })
  await house.report('dev_1')
  expect(await statusOf()).toMatchObject({
    status: 'operational',
    devices: [{ id: 'dev_1' }, { id: 'dev_2', status: 'disabled' }],
  })

  await house.addDevice('dev_3', 'acc_bob', { state: 'disabled' })
  expect(await statusOf('acc_bob')).toMatchObject({
    status: 'down',
    accepting: false,
    reasons: ['device_disabled'],
  })
})

test('a retired device is gone', async () => {
  await house.addDevice('dev_1', 'acc_ada', { state: 'retired' })
  expect(await statusOf()).toMatchObject({ status: 'not_configured', devices_total: 0 })
})

test('a device at its pace is degraded until its window ends', async () => {
  await house.addDevice('dev_1', 'acc_ada')
  const throughput = {
    partsPerWindow: 30,
    windowSeconds: 60,
    remaining: 0,
    resetsAt: house.clock.now() + 10_000,
  }
  await house.report('dev_1', { body: { throughput } })
  expect(await statusOf()).toMatchObject({
    status: 'degraded',
    reasons: ['device_degraded', 'rate_limited'],
    devices: [{ throughput: { remaining: 0 } }],
  })

  await house.clock.advance(10_000)

  expect(await statusOf()).toMatchObject({
    status: 'operational',
    devices: [{ throughput: { parts_per_window: 30, remaining: 30, resets_at: null } }],
  })
})

test('a suspended account is down and accepts nothing', async () => {
  await house.addAccount('acc_sus', 'suspended')
  await house.addDevice('dev_1', 'acc_sus')
  await house.report('dev_1')
  expect(await statusOf('acc_sus')).toMatchObject({
    status: 'down',
    accepting: false,
    reasons: ['account_suspended'],
    devices: [{ status: 'online' }],
  })
})

test('at most a hundred devices are listed, the worst of them', async () => {
  for (let i = 100; i < 220; i++) {
    await house.addDevice(`dev_${i}`, 'acc_ada')
    if (i % 2 === 0) await house.report(`dev_${i}`, i % 10 === 0 ? { status: 'degraded' } : {})
  }
  const { devices, devices_total: total } = await statusOf()
  expect([devices.length, total]).toEqual([100, 120])
  expect(devices.map((device) => device.status).join()).toMatch(
    /^(offline,){60}(degraded,){12}(online,?){28}$/,
  )
})

test('the queue is told from its counters, the oldest passing over what is being handed over', async () => {
  const start = house.clock.now()
  await house.addDevice('dev_1', 'acc_ada')
  await wait(
    'acc_ada',
    [
      { id: 'msg_1', created_at: start },
      { id: 'msg_2', created_at: start + 5 },
      { id: 'msg_3', created_at: start + 9 },
    ],
    'msg_1',
  )
  await wait('acc_bob', [{ id: 'msg_4', created_at: start - 50 }], null)
  expect((await statusOf()).queue).toEqual({
    messages: 2,
    parts: 4,
    scheduled_messages: 0,
    oldest_queued_at: '2026-11-21T09:30:00.005Z',
    estimated_wait_seconds: null,
  })
})

test('what waits is estimated at the pace of the own devices', async () => {
  await house.addDevice('dev_1', 'acc_ada')
  const throughput = {
    partsPerWindow: 2,
    windowSeconds: 60,
    remaining: 1,
    resetsAt: house.clock.now() + 20_000,
  }
  await house.report('dev_1', { body: { throughput } })
  expect((await statusOf()).queue.estimated_wait_seconds).toBe(0)
  await wait(
    'acc_ada',
    [
      { id: 'msg_1', created_at: 1 },
      { id: 'msg_2', created_at: 2 },
      { id: 'msg_3', created_at: 3 },
    ],
    null,
  )
  expect((await statusOf()).queue).toMatchObject({ parts: 6, estimated_wait_seconds: 140 })
})

/** Puts messages of two parts into the queue; one of them may be claimed. */
async function wait(
  accountId: string,
  messages: { id: string; created_at: number }[],
  claimed: string | null,
): Promise<void> {
  const route = { account_id: accountId, mode: 'live' as const, route_key: 'live:' }
  const waiting = messages.filter((message) => message.id !== claimed).length
  await house.storage.writer.write(async (tx) => {
    await insertRows(
      tx,
      'messages',
      messages.map((message) => storedMessage({ ...message, account_id: accountId, parts: 2, held: 2 })),
    )
    await insertRows(
      tx,
      'queue',
      messages
        .filter(({ id }) => id !== claimed)
        .map(({ id, created_at }) => ({
          ...route,
          priority: 1,
          due_at: created_at,
          message_id: id,
          parts: 2,
          expires_at: created_at + 1,
        })),
    )
    await insertRows(tx, 'queue_totals', [
      { ...route, messages: waiting, parts: waiting * 2, next_expiry_at: 1 },
    ])
  })
}
