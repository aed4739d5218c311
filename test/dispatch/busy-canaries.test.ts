import { expect, test } from 'vitest'
import { openCanaryHouse } from './canary-house.ts'

test('a device that is full for 20 minutes loses a canary, a full handset at once, and a disabled receiver none', async () => {
  const house = await openCanaryHouse()
  const { storage, pool, clock } = house
  await house.add()
  const device = pool.get('dev_from')!
  for (let i = 0; i < device.link.window; i++) device.submitted()
  house.wait(19)
  await house.run()
  expect(await house.canary()).toMatchObject({ last: null })
  house.wait(1)
  await house.run()
  expect(await house.canary()).toMatchObject({ lostInRow: 1, last: { reason: 'device_busy' } })
  for (let i = 0; i < device.link.window; i++) device.answered()
  house.says.answer = { kind: 'refused', lasts: 'busy', code: 'network_congested', networkCode: '0x14', recipientAlone: true }
  await house.run()
  expect(await house.canary()).toMatchObject({ lostInRow: 2, last: { reason: 'network_congested' } })
  await storage.writer.write((tx) => tx.updateTable('devices').set({ state: 'disabled' }).where('id', '=', 'dev_to').execute())
  house.wait(60)
  await house.run()
  expect([house.given.length, await house.canary()]).toMatchObject([1, { lostInRow: 2, nextAt: clock.now() + 3_600_000 }])
}) // prettier-ignore

test('a device that is busy is asked again after longer and longer times', async () => {
  const house = await openCanaryHouse()
  await house.add()
  house.says.answer = { kind: 'refused', lasts: 'busy', code: 'network_congested', networkCode: '0x58' }
  const asked: number[] = []
  const runner = house.runner()
  for (let seconds = 0; seconds < 80; seconds += 5) {
    const before = house.given.length
    await runner.sweepAll()
    await runner.settled()
    if (house.given.length > before) asked.push(seconds)
    await house.clock.advance(5_000)
  }
  expect(asked).toEqual([0, 10, 30, 70])
})

test('a drained device sends no canary, and none is lost by it; it receives those of others', async () => {
  const house = await openCanaryHouse()
  const { storage } = house
  await house.add()
  await storage.writer.write((tx) => tx.updateTable('devices').set({ draining: 1 }).where('id', '=', 'dev_from').execute())
  await house.run()
  expect([house.given.length, await house.canary()]).toMatchObject([0, { lostInRow: 0, runs: 0, nextAt: house.clock.now() + 3_600_000 }])
  await storage.writer.write((tx) => tx.updateTable('devices').set({ draining: 0 }).where('id', '=', 'dev_from').execute())
  await storage.writer.write((tx) => tx.updateTable('devices').set({ draining: 1 }).where('id', '=', 'dev_to').execute())
  house.wait(60)
  await house.run()
  expect(house.given).toHaveLength(1)
}) // prettier-ignore
