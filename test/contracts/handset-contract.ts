import { expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import type { Open } from './contract-subject.ts'

/** What a handset sends is stored before the network may forget it. */
export function takesWhatHandsetsSend(open: Open): void {
  test('says that it has a message of a handset once it is stored, and not before', async () => {
    const { world, subject } = await open()
    const sms = await subject.handsetSends()
    await subject.hearOut(world)
    expect(world.inbound).toMatchObject([{ from: sms.from, text: sms.text }])
    expect(await sms.isAcknowledged()).toBe(true)
  })

  test('takes a message of a handset again until it is stored, and then no more', async () => {
    const { world, subject } = await open()
    world.canStore = false
    const sms = await subject.handsetSends()
    await subject.hearOut(world, 120_000)
    expect(world.inboundSaid).toBeGreaterThanOrEqual(3)
    expect(world.inboundSaid).toBeLessThanOrEqual(121)
    expect(await sms.isAcknowledged()).toBe(false)
    world.canStore = true
    await subject.hearOut(world, dayMs)
    expect(world.inbound).toMatchObject([{ from: sms.from, text: sms.text }])
    expect(await sms.isAcknowledged()).toBe(true)
  })
}
