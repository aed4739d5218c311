import { expect, onTestFinished, test } from 'vitest'
import { setPlan } from '../../src/devices/core/set-plan.ts'
import { readReportedDevices } from '../../src/dispatch/routes/reported-candidates.ts'
import { openDevicesFixture } from '../status/devices-fixture.ts'

test('a device has room by its report until the plans of all its SIMs are reached', async () => {
  const house = await openDevicesFixture()
  onTestFinished(() => house.close())
  const { storage, ids, clock } = house
  await house.addAccount('acc_a')
  await house.addDevice('dev_a', 'acc_a')
  const sims = [1, 2].map((slot) => ({ slot, number: null, carrier: null }))
  const free = async (...reasons: string[]) => {
    await house.report('dev_a', { reasons, body: { sims } })
    const { candidates } = await readReportedDevices(storage.read, { accountId: 'acc_a', mode: 'live' }, clock.now())
    return candidates.map((candidate) => candidate.free)
  } // prettier-ignore
  const plan = (sim: number) =>
    storage.writer.write((tx) =>
      setPlan(
        tx,
        { ids, nowMs: clock.now() },
        { deviceId: 'dev_a', sim, partsPerMonth: 10, zoneIfNew: 'UTC', actor: 'test' },
      ),
    )
  expect(await free()).toEqual([1])
  await plan(1)
  // The other SIM has none, and carries on.
  expect(await free('plan_reached')).toEqual([1])
  await plan(2)
  expect(await free('plan_reached')).toEqual([0])
  expect(await free()).toEqual([1])
})
