import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { recordSamples } from '../../src/devices/status/device-history.ts'
import type { DeviceReport } from '../../src/devices/status/device-report.ts'
import { retireDevice, setDevice } from '../../src/devices/core/device-store.ts'
import { simulatorSettings } from '../../src/connectors/simulator/settings.ts'
import { createSecretBox } from '../../src/runtime/secret-box.ts'
import { openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'

let house: TendedHouse
let reporter: ReturnType<TendedHouse['janitors']>['deviceReporter']
beforeEach(async () => {
  house = await openTendedHouse()
  reporter = house.janitors().deviceReporter
})
afterEach(() => house.close())

const states = () => house.storage.read.selectFrom('device_states').selectAll().orderBy('from_at').execute()
const told = async (): Promise<string[]> =>
  (await states()).map(({ status, reasons }) => [status, ...(JSON.parse(reasons) as string[])].join(' '))
const deps = () => ({
  ids: house.ids,
  nowMs: house.clock.now(),
  secretBox: createSecretBox({ current: 'x'.repeat(32), former: [] }, 'device'),
  rules: { settings: simulatorSettings, secretNames: [] },
})
async function change(to: Omit<Parameters<typeof setDevice>[2], 'deviceId' | 'actor'>): Promise<void> {
  await house.storage.writer.write((tx) => setDevice(tx, deps(), { ...to, deviceId: 'dev_s', actor: 'test' }))
  await house.pool.reloadIfChanged()
}
async function pass(seconds: number): Promise<void> {
  house.clock.jumpWallClock(seconds * 1_000)
  await reporter.sweepAll()
}

test('each change of what a device is said to be is written down once, and the former one ends where it begins', async () => {
  const startMs = house.clock.now()
  await house.addDevice('dev_s')
  await reporter.sweepAll()
  await pass(10)
  await pass(10)
  await change({ settings: { offline: 'true' } })
  await pass(1)
  await pass(600)
  await change({ settings: { offline: null } })
  await pass(1)
  expect(await told()).toEqual(['online', 'offline switched_off', 'online'])
  expect(
    (await states()).map(({ from_at, until_at }) => [from_at - startMs, until_at && until_at - startMs]),
  ).toEqual([
    [0, 21_000],
    [21_000, 622_000],
    [622_000, null],
  ])
})

test('what a device was does not end with the server: the next one goes on where it is the same', async () => {
  await house.addDevice('dev_s')
  await reporter.sweepAll()
  house.clock.jumpWallClock(3_600_000)
  await house.janitors({ fence: 3 }).deviceReporter.sweepAll()
  expect(await told()).toEqual(['online'])
  const runs = await house.storage.read.selectFrom('server_runs').selectAll().execute()
  expect(runs.map(({ epoch, seen_at }) => [epoch, house.clock.now() - seen_at])).toEqual([
    [2, 3_600_000],
    [3, 0],
  ])
})

test('a device that is switched off is `disabled` at once, and what the server says of it too late counts no more', async () => {
  await house.addDevice('dev_s')
  await reporter.sweepAll()
  await house.storage.writer.write((tx) =>
    setDevice(tx, deps(), { deviceId: 'dev_s', state: 'disabled', actor: 'test' }),
  )
  await pass(10)
  expect(await told()).toEqual(['online', 'disabled'])
  await change({ state: 'enabled' })
  await pass(10)
  expect(await told()).toEqual(['online', 'disabled', 'online'])
})

test('a device that is enabled and does not run is offline after half a minute, as the status says', async () => {
  await house.addDevice('dev_s')
  const idle = { reported: [], absent: ['dev_s'] } as unknown as TendedHouse['pool']
  reporter = house.janitors({ pool: idle }).deviceReporter
  await pass(1)
  await pass(20)
  expect(await told()).toEqual([])
  await pass(10)
  await pass(10)
  expect(await told()).toEqual(['offline no_report'])
})

test('a device whose link still ends, for the sake of changed settings, is what that link says and not lost', async () => {
  await house.addDevice('dev_s')
  const ending = {
    reported: [house.pool.get('dev_s')],
    all: [],
    absent: [],
  } as unknown as TendedHouse['pool']
  reporter = house.janitors({ pool: ending }).deviceReporter
  for (let i = 0; i < 6; i++) await pass(10)
  expect(await told()).toEqual(['online'])
  const report = house.storage.read.selectFrom('device_reports').select('reported_at')
  expect((await report.executeTakeFirstOrThrow()).reported_at).toBe(house.clock.now())
})

test('what was told of a removed device ends with it, and nothing is added', async () => {
  await house.addDevice('dev_s')
  await reporter.sweepAll()
  await house.storage.writer.write((tx) => retireDevice(tx, deps(), { deviceId: 'dev_s', actor: 'test' }))
  await pass(10)
  expect(await states()).toMatchObject([{ status: 'online', until_at: expect.any(Number) }])
})

test('a clock that was set back loses no change', async () => {
  await house.addDevice('dev_s')
  await reporter.sweepAll()
  const [first] = await states()
  house.clock.jumpWallClock(-3_600_000)
  await change({ settings: { offline: 'true' } })
  await pass(10)
  expect((await states()).map(({ from_at }) => from_at - first!.from_at)).toEqual([0, 1])
})

test('of what a device measures, one measurement in ten minutes is kept, and none twice', async () => {
  await house.addDevice('dev_s')
  const startMs = house.clock.now()
  const measured = (minutes: number, percent: number) => {
    const battery = { percent, charging: false, at: startMs + minutes * 60_000 }
    return [{ deviceId: 'dev_s', body: { battery, network: null } } as DeviceReport]
  }
  for (const [minutes, percent] of [[0, 80], [5, 79], [9.9, 78], [10, 77], [10, 77], [40, 70]] as const)
    await house.storage.writer.write((tx) => recordSamples(tx, measured(minutes, percent))) // prettier-ignore
  const rows = await house.storage.read.selectFrom('device_samples').select(['at', 'battery']).execute()
  expect(rows.map(({ at, battery }) => [(at - startMs) / 60_000, battery])).toEqual([
    [0, 80],
    [10, 77],
    [40, 70],
  ])
})

test('a report says whether this node doubts the device, at once and by no word of the device itself', async () => {
  await house.addDevice('dev_s')
  const isDoubted = async () => {
    const row = await house.storage.read.selectFrom('device_reports').select('body').executeTakeFirstOrThrow()
    return (JSON.parse(row.body) as DeviceReport['body']).isDoubted
  }
  const device = house.pool.get('dev_s')!
  vi.spyOn(device.link, 'health').mockReturnValue({ ...device.link.health(), reasons: ['repeated_failures'] })
  await reporter.sweepAll()
  expect(await isDoubted()).toBe(false)
  for (let faults = 0; faults < 5; faults++)
    device.record({ kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no answer in time' })
  await pass(1)
  expect(await isDoubted()).toBe(true)
  expect(await told()).toEqual(['online repeated_failures', 'degraded repeated_failures'])
})
