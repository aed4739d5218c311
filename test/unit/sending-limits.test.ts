import { expect, test } from 'vitest'
import { busiestWindow } from '../../src/sending/planned-rate.ts'
import { PumpingWatch } from '../../src/sending/pumping-watch.ts'
import { hourMs } from '../../src/runtime/clock.ts'
import { createStubClock } from '../stub-clock.ts'

test('of two hours with as many messages the earlier one is told', () => {
  const minute = 60_000
  expect(busiestWindow([0, 90 * minute], 45 * minute)).toEqual({ messages: 2, endsMs: hourMs })
})

test('once an operator has looked, codes to neighbours are counted from nothing', () => {
  const watch = new PumpingWatch({ clock: createStubClock() })
  const near = Array.from({ length: 6 }, (_, i) => `+4915177${String(i).padStart(4, '0')}`)
  watch.note('acc_a', 'codes', near)
  expect(watch.signOf('acc_a', 'codes', near, 5)).toMatchObject({ numbers: 6 })
  watch.forget('acc_a')
  expect(watch.signOf('acc_a', 'codes', near.slice(0, 1), 5)).toBe(null)
})
