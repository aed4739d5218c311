import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  estimateWaitSeconds,
  type StandingPace,
  standingPaces,
} from '../../src/devices/device-status-wait.ts'

const aPace = fc.record<StandingPace>({
  partsPerWindow: fc.integer({ min: 1, max: 50 }),
  windowSeconds: fc.integer({ min: 1, max: 3_600 }),
  remaining: fc.nat(50),
  resetsAt: fc.option(fc.nat(3_600_000)),
})

test('the estimate is the second at which the last part may go, part by part', () => {
  fc.assert(
    fc.property(
      fc.array(aPace, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 200 }),
      (paces, parts) => {
        const mayGoAtMs = paces.flatMap(({ partsPerWindow, windowSeconds, remaining, resetsAt }) => {
          const windowMs = windowSeconds * 1000
          const later = Array.from(
            { length: parts },
            (_, i) => (resetsAt ?? windowMs) + Math.floor(i / partsPerWindow) * windowMs,
          )
          return [...Array.from({ length: remaining }, () => 0), ...later]
        })
        const second = Math.ceil((mayGoAtMs.toSorted((a, b) => a - b)[parts - 1] as number) / 1000)
        expect(estimateWaitSeconds(parts, paces, 0)).toBe(second <= 259_200 ? second : null)
      },
    ),
    { numRuns: 500 },
  )
})

test('nothing waiting is no wait, whatever the devices', () => {
  expect(estimateWaitSeconds(0, [], 0)).toBe(0)
})

test('nobody can say without a device, or with one that has no pace', () => {
  expect(estimateWaitSeconds(1, [], 0)).toBeNull()
  expect(
    estimateWaitSeconds(1, [{ partsPerWindow: 1, windowSeconds: 1, remaining: 1, resetsAt: null }, null], 0),
  ).toBeNull()
})

test('what would take longer than any message lives is not estimated', () => {
  expect(
    estimateWaitSeconds(
      1_000,
      [{ partsPerWindow: 1, windowSeconds: 3_600, remaining: 0, resetsAt: null }],
      0,
    ),
  ).toBeNull()
})

test('SIMs whose windows end at different times are reckoned with one by one', () => {
  const bySim = [
    { slot: 1, partsPerWindow: 30, remaining: 0, resetsAt: 60_000 },
    { slot: 2, partsPerWindow: 30, remaining: 0, resetsAt: 1_000_000 },
  ]
  const phone = { partsPerWindow: 60, windowSeconds: 1_800, remaining: 0, resetsAt: 60_000, bySim }
  expect(estimateWaitSeconds(30, standingPaces(phone), 0)).toBe(60)
  expect(estimateWaitSeconds(31, standingPaces(phone), 0)).toBe(1_000)
})
