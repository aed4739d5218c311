import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  estimateWaitSeconds,
  type StandingPace,
  standingPaces,
} from '../../src/devices/status/device-status-wait.ts'

const aPace = fc.record<StandingPace>({
  partsPerWindow: fc.integer({ min: 1, max: 50 }),
  windowSeconds: fc.integer({ min: 1, max: 3_600 }),
  remaining: fc.nat(50),
  resetsAt: fc.option(fc.nat(3_600_000)),
  pickUpSeconds: fc.constantFrom(0, 900),
})

test('the estimate is the second at which the last part may go, part by part', () => {
  fc.assert(
    fc.property(
      fc.array(aPace, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 200 }),
      (paces, parts) => {
        const mayGoAtMs = paces.flatMap(
          ({ partsPerWindow, windowSeconds, remaining, resetsAt, pickUpSeconds = 0 }) => {
            const windowMs = windowSeconds * 1000
            const later = Array.from(
              { length: parts },
              (_, i) => (resetsAt ?? windowMs) + Math.floor(i / partsPerWindow) * windowMs,
            )
            const times = [...Array.from({ length: remaining }, () => 0), ...later]
            return times.map((ms) => Math.max(ms, pickUpSeconds * 1000))
          },
        )
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
  expect(estimateWaitSeconds(30, standingPaces(phone, 'stream'), 0)).toBe(60)
  expect(estimateWaitSeconds(31, standingPaces(phone, 'stream'), 0)).toBe(1_000)
})

// PullMessagesWorker of SMSGate: WorkManager's shortest period, 15 minutes; onesixty has no Google push by which to wake it.
test.for(['push', 'poll'])('a phone by %s takes messages when it asks, every 15 minutes', (link) => {
  const phone = { partsPerWindow: 30, windowSeconds: 1_800, remaining: 30, resetsAt: null }
  expect(estimateWaitSeconds(1, standingPaces(phone, link), 0)).toBe(900)
  expect(estimateWaitSeconds(31, standingPaces(phone, link), 0)).toBe(1_800)
  const bySim = [1, 2].map((slot) => ({ slot, partsPerWindow: 30, remaining: 30, resetsAt: null }))
  expect(estimateWaitSeconds(31, standingPaces({ ...phone, bySim }, link), 0), 'of two SIMs').toBe(900)
  const both = [...standingPaces(phone, link), ...standingPaces({ ...phone, remaining: 2 }, 'stream')]
  expect(estimateWaitSeconds(2, both, 0), 'beside one that is woken').toBe(0)
  expect(estimateWaitSeconds(3, both, 0)).toBe(900)
})
