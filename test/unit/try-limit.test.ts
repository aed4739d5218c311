import { expect, test } from 'vitest'
import { TryLimit } from '../../src/runtime/try-limit.ts'
import { createStubClock } from '../stub-clock.ts'

test('so many fit into the window, which slides, and each name has its own', async () => {
  const clock = createStubClock()
  const attempts = new TryLimit({ clock }, { most: 2, windowMs: 10_000 })
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
  const attempts = new TryLimit({ clock }, { most: 1, windowMs: 1_000 })
  expect(attempts.take('a')).toBe(0)
  attempts.giveBack('a')
  expect([attempts.take('a'), attempts.take('a')]).toEqual([0, 1])
  attempts.forget('a')
  expect(attempts.take('a')).toBe(0)
  const free = new TryLimit({ clock }, { most: 0, windowMs: 1_000 })
  expect(Array.from({ length: 50 }, () => free.take('a'))).toEqual(Array<number>(50).fill(0))
})

test('a flood of names takes no more memory than it may', () => {
  const attempts = new TryLimit({ clock: createStubClock() }, { most: 1, windowMs: 1_000 }, 3)
  for (const name of ['a', 'b', 'c', 'd']) attempts.take(name)
  expect(['d', 'c', 'b'].map((name) => attempts.take(name))).toEqual([1, 1, 1])
  expect(attempts.take('a')).toBe(0)
})
