import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SharedCounts } from '../../src/runtime/shared-counts.ts'
import { SlidingCount, takeOrRefuse } from '../../src/runtime/sliding-count.ts'
import { createStubClock } from '../stub-clock.ts'

test('so many fit into the window, which slides, and each name has its own', async () => {
  const clock = createStubClock()
  const attempts = new SlidingCount({ clock }, { most: 2, windowMs: 10_000 })
  expect(attempts.take('a')).toBe(0)
  await clock.advance(4_000)
  expect([attempts.take('a'), attempts.take('a'), attempts.take('b')]).toEqual([0, 6, 0])
  await clock.advance(5_999)
  expect(attempts.take('a')).toBe(1)
  await clock.advance(1)
  expect([attempts.take('a'), attempts.take('a')]).toEqual([0, 4])
})

test('what is given back or forgotten does not count, and 0 is no limit', () => {
  const clock = createStubClock()
  const attempts = new SlidingCount({ clock }, { most: 1, windowMs: 1_000 })
  expect(attempts.take('a')).toBe(0)
  attempts.giveBack('a')
  expect([attempts.take('a'), attempts.take('a')]).toEqual([0, 1])
  attempts.forget('a')
  expect(attempts.take('a')).toBe(0)
  const free = new SlidingCount({ clock }, { most: 0, windowMs: 1_000 })
  expect(Array.from({ length: 50 }, () => free.take('a'))).toEqual(Array<number>(50).fill(0))
  free.giveBack('never counted')
  free.forget('never counted')
})

test('a flood of names takes no more memory than it may', () => {
  const attempts = new SlidingCount({ clock: createStubClock() }, { most: 1, windowMs: 1_000 }, 3)
  for (const name of ['a', 'b', 'c', 'd']) attempts.take(name)
  expect(['d', 'c', 'b'].map((name) => attempts.take(name))).toEqual([1, 1, 1])
  expect(attempts.take('a')).toBe(0)
})

test('above a limit that a call names, the wait lasts until enough events have left the window', async () => {
  const clock = createStubClock()
  const messages = new SlidingCount({ clock }, { windowMs: 3_600_000 })
  for (let i = 0; i < 4; i++) {
    messages.add('a')
    await clock.advance(600_000)
  }
  // Counted at 0, 10, 20 and 30 minutes; now it is minute 40.
  expect([5, 4, 3, 2, 1].map((most) => messages.waitSeconds('a', most))).toEqual([
    0, 1_200, 1_800, 2_400, 3_000,
  ])
  expect(messages.waitSeconds('a', 0)).toBe(0)
  await clock.advance(1_200_000)
  expect(messages.waitSeconds('a', 4)).toBe(0)
})

test('an event that was counted and given back is taken back on the other nodes, once', () => {
  const counts = new SharedCounts()
  counts.tellBy({ isHeard: () => true, plan: () => undefined })
  const codes = new SlidingCount(
    { clock: createStubClock(), shared: { counts, kind: 'codes' } },
    { most: 3, windowMs: 1_000 },
  )
  codes.add('a')
  expect(counts.take()).toEqual([['codes', 'a', 1]])
  codes.giveBack('a')
  codes.giveBack('a')
  expect(counts.take()).toEqual([['codes', 'a', -1]])
  codes.add('a')
  codes.add('a')
  expect(counts.take()).toEqual([['codes', 'a', 2]])
  codes.forget('a')
  expect(counts.take()).toEqual([['codes', 'a', -2]])
})

const step = fc.record({
  name: fc.constantFrom('a', 'b'),
  what: fc.constantFrom('take', 'take', 'take', 'giveBack', 'forget'),
  laterMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 100, max: 40_000 })),
  most: fc.integer({ min: 1, max: 4 }),
})

test('against a list of all events none leaves the window early, and a wait is a thousandth of it too long at most', async () => {
  const windowMs = 100_000
  const mostLateMs = windowMs / 1_000
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = createStubClock()
      const counted = new SlidingCount({ clock }, { windowMs })
      let listed: { name: string; atMs: number }[] = []
      let nowMs = 0
      const waitMs = (name: string, most: number, lateMs: number): number => {
        const own = listed.filter((event) => event.name === name && event.atMs + lateMs > nowMs - windowMs)
        const first = own.at(-most)
        return first === undefined ? 0 : first.atMs + lateMs + windowMs - nowMs
      }
      for (const { name, what, laterMs, most } of steps) {
        await clock.advance(laterMs)
        nowMs += laterMs
        const seconds = counted.waitSeconds(name, most)
        expect(seconds).toBeGreaterThanOrEqual(Math.ceil(waitMs(name, most, 0) / 1_000))
        expect(seconds).toBeLessThanOrEqual(Math.ceil(waitMs(name, most, mostLateMs) / 1_000))
        if (what === 'take') {
          expect(counted.take(name, most)).toBe(seconds)
          if (seconds === 0) listed.push({ name, atMs: nowMs })
        } else if (what === 'giveBack') {
          const last = listed.findLastIndex((event) => event.name === name)
          const isCounted = last !== -1 && listed[last]!.atMs > nowMs - windowMs
          counted.giveBack(name)
          if (isCounted) listed.splice(last, 1)
        } else {
          counted.forget(name)
          listed = listed.filter((event) => event.name !== name)
        }
      }
    }),
  )
})

test('of a busy name at most 121 moments are kept, and no event leaves early', async () => {
  const clock = createStubClock()
  const messages = new SlidingCount({ clock }, { windowMs: 1_000_000 })
  for (let i = 0; i < 5_000; i++) {
    messages.add('a')
    await clock.advance(250)
  }
  // Counted each 250 ms over 1,250 s: the last 1,000 s have 4,000, and a sixtieth more may be left.
  expect(messages.waitSeconds('a', 4_000)).toBeGreaterThan(0)
  expect(messages.waitSeconds('a', 4_000 + 4_000 / 60 + 1)).toBe(0)
})

test('a wait is whole seconds, one at least, while an event is within the window', async () => {
  const clock = createStubClock()
  const attempts = new SlidingCount({ clock }, { most: 1, windowMs: 1_000 })
  attempts.add('a')
  await clock.advance(999)
  expect(attempts.waitSeconds('a')).toBe(1)
  await clock.advance(1)
  expect(attempts.waitSeconds('a')).toBe(0)
})

test('it is the newest event that is undone, one at a time, and the older ones stay in their time', async () => {
  const clock = createStubClock()
  const attempts = new SlidingCount({ clock }, { most: 3, windowMs: 100_000 })
  attempts.add('a')
  await clock.advance(60_000)
  attempts.add('a')
  attempts.add('a')
  attempts.giveBack('a')
  expect(attempts.waitSeconds('a', 2)).toBe(40)
  attempts.giveBack('a')
  expect(attempts.waitSeconds('a', 1)).toBe(40)
  await clock.advance(40_000)
  expect(attempts.waitSeconds('a', 1)).toBe(0)
})

test('what other nodes undo is taken from the newest moments, however many there are', async () => {
  const clock = createStubClock()
  const [here, there] = [new SharedCounts(), new SharedCounts()]
  for (const counts of [here, there]) counts.tellBy({ isHeard: () => true, plan: () => undefined })
  const counted = new SlidingCount({ clock, shared: { counts: here, kind: 'codes' } }, { windowMs: 100_000 })
  for (let i = 0; i < 3; i++) {
    counted.add('a')
    await clock.advance(10_000)
  }
  here.hear([['codes', 'a', -2]])
  expect([counted.waitSeconds('a', 1), counted.waitSeconds('a', 2)]).toEqual([70, 0])
})

test.each([
  [119, '119 seconds'],
  [120, '2 minutes'],
  [121, '3 minutes'],
])('a wait of %d seconds is told as %s', (seconds, words) => {
  const attempts = new SlidingCount({ clock: createStubClock() }, { most: 1, windowMs: seconds * 1_000 })
  takeOrRefuse(attempts, 'a')
  expect(() => takeOrRefuse(attempts, 'a')).toThrow(`Too many attempts. Try again in ${words}.`)
})
