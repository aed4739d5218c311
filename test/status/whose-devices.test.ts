import { afterEach, beforeEach, expect, test } from 'vitest'
import { renderStatus } from '../../src/api/v1/status.ts'
import { takeLeases } from '../../src/devices/core/device-lease.ts'
import { readDevicesStatus } from '../../src/devices/status/device-status.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import type { Mode } from '../../src/storage/tables/schema.ts'
import { usualTimes } from '../../src/runtime/times.ts'
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

test('a shared device shows nothing of its operator or of others', async () => {
  await house.addDevice('dev_s', null)
  await house.report('dev_s', {
    body: {
      throughput: { partsPerWindow: 30, windowSeconds: 60, remaining: 9, resetsAt: null },
      inFlight: 7,
      balance: { amount: 3.14, currency: 'EUR', at: 0 },
      credit: { amount: 12.5, at: 0 },
    },
  })
  await openAttempts('acc_bob', 'dev_s', 5)
  await openAttempts('acc_ada', 'dev_s', 2)

  const { devices } = await statusOf()

  expect(devices).toMatchObject([
    {
      shared: true,
      name: null,
      throughput: null,
      last_error: null,
      last_sent_at: null,
      balance: null,
      sim_credit: null,
      queue: { messages: 2, in_flight: null },
    },
  ])
  expect(devices[0]?.sims).toEqual([{ slot: 1, number: null, carrier: 'Telekom.de' }])
  expect(JSON.stringify(devices)).not.toMatch(/Name of|\+49|no_service/)
})

test('who runs the link of an own device is told while its lease lasts, of a shared one never', async () => {
  await house.addDevice('dev_1', 'acc_ada')
  await house.addDevice('dev_s', null)
  const asked = { owner: 'north', isAlone: false, deviceIds: ['dev_1', 'dev_s'], nowMs: house.clock.now() }
  await house.storage.writer.write((tx) => takeLeases(tx, asked))
  const nodes = async () => (await statusOf()).devices.map(({ id, node }) => `${id} ${node}`)
  expect((await nodes()).toSorted()).toEqual(['dev_1 north', 'dev_s null'])
  await house.clock.advance(usualTimes.leaseMs)
  expect((await nodes()).toSorted()).toEqual(['dev_1 null', 'dev_s null'])
})

test('an own device shows everything', async () => {
  await house.addDevice('dev_1', 'acc_ada')
  await house.report('dev_1', {
    body: {
      inFlight: 1,
      balance: { amount: 3.14, currency: 'EUR', at: 0 },
      credit: { amount: 12.5, at: 0 },
      network: { registered: true, roaming: null, operator: null, signalDbm: null, transport: 'wifi', at: 0 },
    },
  })
  await openAttempts('acc_ada', 'dev_1', 3)
  expect((await statusOf()).devices).toMatchObject([
    {
      name: 'Name of dev_1', shared: false, link: 'stream', sims: [{ slot: 1, number: '+4915199990001', carrier: 'Telekom.de' }], last_error: 'no_service',
      network: { registered: true, roaming: null, operator: null, signal_dbm: null, transport: 'wifi', at: '1970-01-01T00:00:00.000Z' },
      balance: { amount: 3.14, currency: 'EUR', at: '1970-01-01T00:00:00.000Z' },
      queue: { messages: 3, in_flight: 1 },
    },
  ]) // prettier-ignore
})

test('trouble of a shared device counts only for who has no other', async () => {
  await house.addDevice('dev_s', null)
  await house.addDevice('dev_t', null)
  await house.addDevice('dev_1', 'acc_ada')
  await house.report('dev_1')
  await house.report('dev_s')
  expect(await statusOf('acc_ada')).toMatchObject({ status: 'operational', devices_total: 3 })
  expect(await statusOf('acc_bob')).toMatchObject({
    status: 'degraded',
    reasons: ['device_offline'],
    devices_total: 2,
  })
})

test('a mode has its own devices, and another account’s are absent', async () => {
  await house.addDevice('dev_t', null, { mode: 'test' })
  await house.addDevice('dev_b', 'acc_bob')
  await house.report('dev_t')
  expect(await statusOf('acc_ada', 'test')).toMatchObject({
    mode: 'test',
    status: 'operational',
    devices: [{ id: 'dev_t' }],
  })
  expect(await statusOf('acc_ada', 'live')).toMatchObject({ status: 'not_configured', devices: [] })
})

async function openAttempts(accountId: string, deviceId: string, messages: number): Promise<void> {
  const rows = Array.from({ length: messages }, () => ({
    account_id: accountId,
    mode: 'live' as const,
    message_id: house.ids('msg'),
    number: 1,
    id: house.ids('att'),
    device_id: deviceId,
    fence: 1,
    state: 'handing_over' as const,
    started_at: 1,
  }))
  await house.storage.writer.write((tx) => insertRows(tx, 'attempts', rows))
}
