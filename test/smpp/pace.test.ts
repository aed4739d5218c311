import { expect, test } from 'vitest'
import { Pace } from '../../src/connectors/smpp/submit/pace.ts'
import { createStubClock } from '../stub-clock.ts'

/** A pace of so many parts a second, with what it told. */
function openPace(perSecond: number | null) {
  const clock = createStubClock()
  const told = { changes: 0, rooms: 0 }
  const pace = new Pace(
    { tools: clock, changed: () => (told.changes += 1), hasRoom: () => (told.rooms += 1) },
    perSecond,
  )
  return { clock, pace, told }
}

test('what was not written costs nothing of the rate', () => {
  const { pace } = openPace(20)
  const before = pace.roomOrWakeLater()
  for (let i = 0; i < 100; i++) pace.spend()
  expect(pace.roomOrWakeLater()).toBe(0)
  for (let i = 0; i < 100; i++) pace.notWritten()
  expect(pace.roomOrWakeLater()).toBe(before)
})

test('parts go again 1.5 s apart, later 10 s, and never faster than the rate', () => {
  const waits = (perSecond: number | null) =>
    [0, 4, 5, 6, 7, 100].map((fruitless) => openPace(perSecond).pace.repeatMs(fruitless))
  expect(waits(null)).toEqual([1_500, 1_500, 3_000, 6_000, 10_000, 10_000])
  expect(waits(0.2)).toEqual([5_000, 5_000, 5_000, 6_000, 10_000, 10_000])
})
