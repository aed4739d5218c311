import { expect, test } from 'vitest'
import { createStubClock } from '../stub-clock.ts'

test('runs tasks in the order of their times, and those that they schedule', async () => {
  const clock = createStubClock(1_000)
  const seen: string[] = []
  clock.schedule(20, () => seen.push(`late at ${clock.now()}`))
  clock.schedule(10, () => {
    seen.push(`early at ${clock.now()}`)
    clock.schedule(5, () => seen.push(`nested at ${clock.now()}`))
  })
  clock.schedule(31, () => seen.push('too late'))
  await clock.advance(30)
  expect(seen).toEqual(['early at 1010', 'nested at 1015', 'late at 1020'])
  expect([clock.now(), clock.monotonicMs(), clock.waiting, clock.nextInMs]).toEqual([1_030, 30, 1, 1])
})

test('a cancelled task does not run, and a jump of the wall clock wakes nobody', async () => {
  const clock = createStubClock(1_000)
  let runs = 0
  clock.schedule(10, () => (runs += 1))()
  clock.schedule(10, () => (runs += 1))
  clock.jumpWallClock(1_000_000)
  expect([runs, clock.now(), clock.monotonicMs()]).toEqual([0, 1_001_000, 0])
  await clock.advance(10)
  expect(runs).toBe(1)
})

test('of two that turn it at once neither sets it back', async () => {
  const clock = createStubClock()
  clock.schedule(10, () => void clock.advance(100))
  await clock.advance(20)
  expect(clock.monotonicMs()).toBe(110)
  await clock.advance(1)
  expect(clock.monotonicMs()).toBe(111)
})
