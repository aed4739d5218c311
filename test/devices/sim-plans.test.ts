import { afterEach, beforeEach, expect, test } from 'vitest'
import { planLimits } from '../../src/alerts/plan-limits.ts'
import { retireDevice } from '../../src/devices/core/device-store.ts'
import { type PlanChange, removePlan, setPlan } from '../../src/devices/core/set-plan.ts'
import { readPlanViews } from '../../src/devices/plans/plan-view.ts'
import { readDevicesStatus } from '../../src/devices/status/device-status.ts'
import { planChecks } from '../../src/messages/audit/plan-audit.ts'
import { eraseNumber } from '../../src/privacy/erase-number.ts'
import { createRetention } from '../../src/dispatch/sweepers/retention.ts'
import { numberInPlan, createNumberHash, planKey } from '../../src/numbers/number-hash.ts'
import { createLog } from '../../src/process/log.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { type DevicesFixture, openDevicesFixture } from '../status/devices-fixture.ts'

let house: DevicesFixture
beforeEach(async () => {
  house = await openDevicesFixture()
  await house.addAccount('acc_a')
  await house.addDevice('dev_own', 'acc_a')
  await house.addDevice('dev_shared', null)
})
afterEach(() => house.close())

const deps = () => ({ ids: house.ids, nowMs: house.clock.now() })
const set = (more: Partial<PlanChange> = {}) =>
  house.storage.writer.write((tx) =>
    setPlan(tx, deps(), { deviceId: 'dev_own', sim: 1, numbersPerMonth: 10, zoneIfNew: 'Europe/Berlin', actor: 'test', ...more }),
  ) // prettier-ignore
const today = () => Math.floor(house.clock.now() / 86_400_000)
const use = (numbers: number, deviceId = 'dev_own', day = today()) =>
  house.storage.writer.write((tx) =>
    insertRows(tx, 'sim_usage', [
      { device_id: deviceId, sim: 1, day, parts: numbers, messages: numbers, numbers },
    ]),
  )
const views = () => readPlanViews(house.storage.read, undefined, house.clock.now())

test('a plan changes only what is given, and is removed with its counts', async () => {
  expect(await set()).toEqual({
    deviceId: 'dev_own', sim: 1, partsPerDay: null, partsPerMonth: null, numbersPerMonth: 10, monthStarts: 1, zone: 'Europe/Berlin',
  }) // prettier-ignore
  await set({ numbersPerMonth: null, partsPerMonth: 3_000, monthStarts: 12, zoneIfNew: 'UTC' })
  await use(3)
  expect(await views()).toMatchObject([
    { partsPerMonth: 3_000, numbersPerMonth: null, monthStarts: 12, zone: 'Europe/Berlin', partsThisMonth: 3 },
  ])
  const remove = () => house.storage.writer.write((tx) => removePlan(tx, deps(), { deviceId: 'dev_own', sim: 1, actor: 'test' }))
  expect([await remove(), await remove()]).toEqual([true, false])
  await set()
  expect(await views()).toMatchObject([{ partsThisMonth: 0 }])
}) // prettier-ignore

test.for([
  ['no limit at all', { numbersPerMonth: null }, '/parts_per_month'],
  ['fewer parts than a message may have', { partsPerDay: 9 }, '/parts_per_day'],
  ['more numbers than a claim reads', { numbersPerMonth: 10_001 }, '/numbers_per_month'],
  ['a slot that no phone has', { sim: 4 }, '/sim'],
  ['a day that no month has', { monthStarts: 32 }, '/month_starts'],
  ['a zone that nobody knows', { zone: 'Europe/Bonn' }, '/zone'],
] as const)('a plan with %s is refused', async ([, change, pointer]) => {
  await expect(set(change)).rejects.toMatchObject({ extra: { errors: [{ pointer }] } })
})

test('a plan needs a device that is there, and goes with it', async () => {
  await expect(set({ deviceId: 'dev_none' })).rejects.toMatchObject({ code: 'not_found' })
  await set()
  await use(3)
  await house.storage.writer.write((tx) => retireDevice(tx, deps(), { deviceId: 'dev_own', actor: 'test' }))
  expect([await views(), await house.storage.read.selectFrom('sim_usage').selectAll().execute()]).toEqual([
    [],
    [],
  ])
  await expect(set()).rejects.toMatchObject({ code: 'not_found' })
})

test('the status shows the plans of own devices, and those of shared ones to the operator alone', async () => {
  for (const deviceId of ['dev_own', 'dev_shared']) await set({ deviceId })
  await use(4)
  const plansOf = async (isOperator: boolean) => {
    const owner = { accountId: 'acc_a', mode: 'live', isOperator } as const
    const { devices } = await readDevicesStatus(house.storage.read, owner, house.clock.now())
    return Object.fromEntries(
      devices.map(({ id, plans }) => [id, plans.map((plan) => plan.numbersThisMonth)]),
    )
  }
  expect(await plansOf(false)).toEqual({ dev_own: [4], dev_shared: [] })
  expect(await plansOf(true)).toEqual({ dev_own: [4], dev_shared: [0] })
})

test('from four fifths of a month on owners are told, and what the month of the contract is', async () => {
  await set()
  await set({ deviceId: 'dev_shared', partsPerMonth: 1_000 })
  await use(7)
  const found = () => planLimits.find(house.storage.read, house.clock.now(), new Set())
  expect(await found()).toEqual([])
  await house.storage.writer.write((tx) => tx.updateTable('sim_usage').set({ numbers: 8 }).execute())
  expect(await found()).toEqual([
    expect.objectContaining({
      kind: 'plan_limit',
      subject: 'dev_own/1',
      accountId: 'acc_a',
      said: expect.stringContaining('8 of 10 different numbers'),
    }),
  ])
  await house.clock.advance(31 * 86_400_000)
  expect(await found()).toEqual([])
})

test('a plan of which more was used than it includes is found by the doctor, unless it was changed since', async () => {
  await set()
  const found = () =>
    planChecks[0]?.find(house.storage.read, { nowMs: house.clock.now(), receiptWindowMs: 0 })
  await use(12)
  expect(await found()).toEqual([])
  await house.storage.writer.write((tx) => tx.updateTable('sim_plans').set({ updated_at: 1 }).execute())
  expect(await found()).toMatchObject([{ device_id: 'dev_own', sim: 1, numbers_this_month: 12 }])
  await house.storage.writer.write((tx) => tx.updateTable('sim_usage').set({ numbers: 11 }).execute())
  expect(await found()).toEqual([])
})

const secret = { current: 'a secret of this test, long enough', former: ['an older one, as long as that'] }
const remembered = async () =>
  (await house.storage.read.selectFrom('sim_numbers').select('number_key').execute()).map(
    (row) => row.number_key,
  )

test('an erased number is found under each secret and forgotten; how many there were stays', async () => {
  const [number, other] = ['+4915112345678', '+4915112345679']
  await set()
  const keys = [secret.current, ...secret.former].map((each) => numberInPlan(planKey(each), number))
  const kept = numberInPlan(planKey(secret.current), other)
  const rowOf = (number_key: string) => ({
    device_id: 'dev_own',
    sim: 1,
    number_key,
    day: today(),
    messages: 1,
  })
  await house.storage.writer.write((tx) => insertRows(tx, 'sim_numbers', [...keys, kept].map(rowOf)))
  await use(3)
  const { storage, clock, ids } = house
  const numbers = createNumberHash(secret)
  const erase = { read: storage.read, writer: storage.writer, clock, ids, numbers }
  await eraseNumber(erase, { number, accountId: 'acc_other', actor: 'test', code: 'canceled_by_operator' })
  expect(await remembered()).toHaveLength(3)
  const canary = {
    id: 'can_1',
    account_id: 'acc_a',
    from_device: 'dev_own',
    to_device: 'dev_own',
    recipient: number,
    every_ms: 1,
    next_at: 1,
    created_at: 1,
  }
  await storage.writer.write((tx) => insertRows(tx, 'canaries', [canary]))
  await eraseNumber(erase, { number, accountId: 'acc_a', actor: 'test', code: 'canceled_by_operator' })
  expect(await remembered()).toEqual([kept])
  expect(await storage.read.selectFrom('canaries').selectAll().execute()).toEqual([])
  expect(await views()).toMatchObject([{ numbersThisMonth: 3 }])
})

test('retention removes numbers once their month is over in every zone, and days after two months', async () => {
  const old = [33, 32].map((days) => ({ device_id: 'dev_own', sim: 1, number_key: `k${days}`, day: today() - days, messages: 1 }))
  await house.storage.writer.write((tx) => insertRows(tx, 'sim_numbers', old))
  for (const days of [62, 61]) await use(1, 'dev_own', today() - days)
  const { storage, clock } = house
  const days = { recordDays: 90, textDays: 90, idempotencyDays: 1, auditDays: 0, keyUsageDays: 90, endedOptOutDays: 90, deviceHistoryDays: 90, alertDays: 90 }
  const log = createLog('silent', { write: () => undefined })
  await createRetention({ read: storage.read, writer: storage.writer, clock, log, correctableMs: 1, ...days, leads: () => true }).sweepAll()
  expect(await remembered()).toEqual(['k32'])
  const left = await storage.read.selectFrom('sim_usage').select('day').execute()
  expect(left).toEqual([{ day: today() - 61 }])
}) // prettier-ignore
