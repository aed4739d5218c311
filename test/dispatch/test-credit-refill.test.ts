import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import { eventually } from '../eventually.ts'
import { openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
})
afterEach(() => house.close())

const hourMs = 3_600_000

describe('the refiller', () => {
  test('fills play wallets up once a UTC day, within seconds of midnight, and leaves live ones alone', async () => {
    const { refiller } = house.janitors()
    await refiller.sweepAll()
    expect(await house.wallet('test')).toEqual({ granted: 1_000, reserved: 0, used: 0 })
    await house.addDevice('dev_s', { mode: 'test', settings: { delay_ms: '0' } })
    await house.send({ mode: 'test', parts: 7 })
    await house.dispatcher.drain()
    await house.send({ mode: 'test', parts: 2, expiresAt: house.clock.now() + 3 * dayMs, from: 'Nobody' })
    house.clock.jumpWallClock(14.5 * hourMs - 1)
    await refiller.sweepAll()
    expect(await house.wallet('test')).toEqual({ granted: 1_000, reserved: 2, used: 7 })
    house.clock.jumpWallClock(1)
    await refiller.start()
    await house.clock.advance(5_000)
    await eventually(
      () => house.wallet('test'),
      (wallet) => expect(wallet).toEqual({ granted: 1_009, reserved: 2, used: 7 }),
    )
    await refiller.stop()
    await refiller.sweepAll()
    expect(await house.wallet('test')).toEqual({ granted: 1_009, reserved: 2, used: 7 })
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
    await house.sums()
  })
})
