import { expect, test } from 'vitest'
import { createStubbedPhone } from './phone-fixture.ts'

const minute = 60_000

test('a look at many phones knows each change of one at once, and what time changes within a second', async () => {
  const { phone, clock, openStream } = createStubbedPhone()
  const stream = openStream()
  const first = phone.standing()
  expect(first).toMatchObject({ status: 'online', link: 'stream' })
  await clock.advance(999)
  expect(phone.standing()).toBe(first)
  await clock.advance(1)
  expect(phone.standing()).not.toBe(first)
  phone.pinged({ battery: { percent: 3, charging: false }, network: null, fails: false })
  expect(phone.standing().reasons).toEqual(['battery_low'])
  phone.sawSims([{ slot: 1, number: '+4915100000001', carrier: null }])
  phone.applySettings({ sim_1_number: '+4915100000002' })
  expect(phone.standing().sims).toMatchObject([{ number: '+4915100000002' }])
  phone.recordClock('hook', clock.now() - 2 * minute)
  expect(phone.standing().reasons).toEqual(['battery_low', 'clock_skew'])
  phone.admitsHook(clock.now())
  expect(phone.standing()).toEqual(phone.health())
  stream.close()
  expect(phone.standing().link).toBe('poll')
  await clock.advance(minute)
  expect(phone.standing().reasons).toEqual(['stream_lost'])
  openStream()
  expect(phone.standing().link).toBe('stream')
  await phone.stop()
  expect(phone.standing()).toMatchObject({ status: 'offline', link: 'none' })
})
