import { expect, test } from 'vitest'
import { paceOf } from '../../src/ledger/usage-pace.ts'

const days = (...parts: number[]) => parts.map((used, i) => ({ day: 20_000 + i, parts: used }))

test('the pace is the mean of the last seven whole days, and tells how long the rest lasts', () => {
  expect(paceOf(days(900, 70, 0, 0, 0, 0, 0, 0), 100)).toEqual({ perDay: 10, days: 7, daysLeft: 10 })
})

test('days before the first use do not count', () => {
  expect(paceOf(days(0, 0, 0, 0, 0, 0, 30, 10), 100)).toEqual({ perDay: 20, days: 2, daysLeft: 5 })
})

test('a single SMS is use', () => {
  expect(paceOf(days(0, 1, 0), 5)).toEqual({ perDay: 0.5, days: 2, daysLeft: 10 })
})

test('quiet days after use do count', () => {
  expect(paceOf(days(0, 12, 0, 0), 8)).toEqual({ perDay: 4, days: 3, daysLeft: 2 })
})

test('what is not used lasts for ever, and what was never used has no pace', () => {
  expect(paceOf(days(5, 0, 0, 0, 0, 0, 0, 0), 100)).toEqual({ perDay: 0, days: 7, daysLeft: null })
  expect(paceOf(days(0, 0), 100)).toEqual({ perDay: null, days: 0, daysLeft: null })
  expect(paceOf([], 100)).toEqual({ perDay: null, days: 0, daysLeft: null })
})
