import { expect, test } from 'vitest'
import { busiestWindow } from '../../src/sending/planned-rate.ts'
import { PumpingWatch } from '../../src/sending/pumping-watch.ts'
import { RecipientRate } from '../../src/sending/recipient-rate.ts'
import { Velocity } from '../../src/sending/velocity.ts'
import { hourMs } from '../../src/runtime/clock.ts'
import { SharedCounts } from '../../src/runtime/shared-counts.ts'
import { createStubClock } from '../stub-clock.ts'

test('the wait is over when the hour before has faded enough for one more', async () => {
  const clock = createStubClock()
  const velocity = new Velocity({ clock })
  for (let i = 0; i < 16; i += 1) velocity.add('acc_a', 1)
  await clock.advance(hourMs + 600_000)
  // Of 16 in the hour before 8 may still count: after 30 minutes, of which 10 have passed.
  expect(velocity.waitSeconds('acc_a', 9)).toBe(1_200)
  await clock.advance(1_199_000)
  expect(velocity.waitSeconds('acc_a', 9)).toBe(1)
  await clock.advance(1_000)
  expect(velocity.waitSeconds('acc_a', 9)).toBe(0)
})

test('where this hour alone is full the wait is over when it is', async () => {
  const clock = createStubClock()
  const velocity = new Velocity({ clock })
  for (let i = 0; i < 3; i += 1) velocity.add('acc_a', 1)
  await clock.advance(600_000)
  expect(velocity.waitSeconds('acc_a', 3)).toBe(3_000)
})

test('of two hours with as many messages the earlier one is told', () => {
  const minute = 60_000
  expect(busiestWindow([0, 90 * minute], 45 * minute)).toEqual({ messages: 2, endsMs: hourMs })
})

test('a code that was counted and not sent is taken back on the other nodes, once', () => {
  const counts = new SharedCounts()
  counts.tellBy({ isHeard: () => true, plan: () => undefined })
  const rate = new RecipientRate({ clock: createStubClock(), counts }, 3)
  const takeBack = rate.count('acc_a', 'live', ['+4915112345678'])
  expect(counts.take().map(([, , count]) => count)).toEqual([1])
  takeBack()
  expect(counts.take().map(([, , count]) => count)).toEqual([-1])
})

test('once an operator has looked, codes to neighbours are counted from nothing', () => {
  const watch = new PumpingWatch({ clock: createStubClock() })
  const near = Array.from({ length: 6 }, (_, i) => `+4915177${String(i).padStart(4, '0')}`)
  watch.note('acc_a', 'codes', near)
  expect(watch.signOf('acc_a', 'codes', near, 5)).toMatchObject({ numbers: 6 })
  watch.forget('acc_a')
  expect(watch.signOf('acc_a', 'codes', near.slice(0, 1), 5)).toBe(null)
})
