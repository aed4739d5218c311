import { writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { advanceEpoch } from '../../src/storage/instance/epoch.ts'
import { epochFile } from '../../src/storage/instance/epoch-file.ts'
import { manyNumbers, openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
})
afterEach(() => house.close())

describe('the rescuer', () => {
  test('ends what a dead process was handing over: unconfirmed, not charged, never sent again', async () => {
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send({ parts: 3 })
    expect(await house.claimAndDie(1)).toBe(1)
    await house.janitors({ fence: 2 }).rescuer.sweepAll()
    expect(await house.message()).toMatchObject({
      status: 'unconfirmed',
      cost_state: 'released',
      charged: 0,
      error_code: 'device_unresponsive',
    })
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
    await house.setDevices({})
    await house.dispatcher.drain()
    expect(await house.message()).toMatchObject({ status: 'unconfirmed', attempts: 1 })
    await house.sums()
  })

  test('lets it go once more where the caller chose that, on one hold, and not a second time', async () => {
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send({ onUnknown: 'resend_once' })
    await house.claimAndDie(1)
    await house.janitors({ fence: 2 }).rescuer.sweepAll()
    expect(await house.message()).toMatchObject({
      status: 'queued',
      possible_duplicate: 1,
      cost_state: 'held',
    })
    await house.sums()
    expect(await house.claimAndDie(2)).toBe(1)
    await house.janitors({ fence: 3 }).rescuer.sweepAll()
    expect(await house.message()).toMatchObject({
      status: 'unconfirmed',
      attempts: 2,
      cost_state: 'released',
    })
    expect(await house.claimAndDie(3)).toBe(0)
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
    await house.sums()
  })

  test.for([1, 2])(
    'lets nothing go again after a restore, whatever the caller chose, at start %i',
    async (starts) => {
      await house.addDevice('dev_s', { settings: { offline: 'true' } })
      await house.send({ onUnknown: 'resend_once' })
      await house.claimAndDie(1)
      // The epoch file is ahead: the first start takes the database for a restored one. It may be cut off before it rescues.
      await writeFile(epochFile(house.dataFolder), '5\n')
      const restored: boolean[] = []
      for (let start = 0; start < starts; start++)
        restored.push((await advanceEpoch(house.storage, house.dataFolder, house.clock.now())).restored)
      expect(restored).toEqual([true, false].slice(0, starts))
      await house.janitors({ fence: 10 }).rescuer.sweepAll()
      expect(await house.message()).toMatchObject({ status: 'unconfirmed', attempts: 1 })
      expect(await house.countOf('queue')).toBe(0)
      await house.sums()
    },
  )

  test('leaves alone what its own process is handing over', async () => {
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send()
    await house.claimAndDie(2)
    await house.janitors({ fence: 2 }).rescuer.sweepAll()
    expect(await house.message()).toMatchObject({ status: 'sending' })
  })

  test('ends any number in one go', async () => {
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send({ to: manyNumbers(700) })
    expect(await house.claimAndDie(1)).toBe(700)
    await house.janitors({ fence: 2 }).rescuer.sweepAll()
    expect(new Set(await house.statuses())).toEqual(new Set(['unconfirmed']))
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
    await house.sums()
  })
})
