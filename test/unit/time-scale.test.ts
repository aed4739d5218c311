import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quantileMs, stepOf } from '../../src/messages/core/time-scale.ts'

const countsOf = (durations: readonly number[]): Map<number, number> => {
  const counts = new Map<number, number>()
  for (const duration of durations) {
    const step = stepOf(duration)
    counts.set(step, (counts.get(step) ?? 0) + 1)
  }
  return counts
}

test('steps begin behind 250 ms and double with each second one', () => {
  expect([-5, 0, 250, 251, 353, 354, 500, 501, 1_000, 64_000].map(stepOf)).toEqual([
    0, 0, 0, 1, 1, 2, 2, 3, 4, 16,
  ])
  expect(stepOf(73 * 3_600_000)).toBe(41)
  expect(stepOf(1e12)).toBe(41)
})

test('a quantile is read back within √2 of what was measured', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 251, max: 260_000_000 }), { minLength: 1, maxLength: 50 }),
      fc.constantFrom(0.5, 0.95),
      (durations, share) => {
        const rank = Math.max(1, Math.ceil(share * durations.length))
        const exact = durations.toSorted((a, b) => a - b)[rank - 1] as number
        const read = quantileMs(countsOf(durations), share) as number
        expect(Math.max(read / exact, exact / read)).toBeLessThanOrEqual(Math.SQRT2 + 1e-9)
      },
    ),
  )
})

test('what has no end or no beginning gives the bound that is known, and nothing gives none', () => {
  expect(quantileMs(countsOf([1, 2, 3]), 0.5)).toBe(250)
  expect(quantileMs(countsOf([1e12]), 0.5)).toBe(250 * 2 ** 20)
  expect(quantileMs(new Map(), 0.5)).toBeNull()
})
