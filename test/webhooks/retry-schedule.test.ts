import fc from 'fast-check'
import { expect, test } from 'vitest'
import { longestDelayMs, nextDelayMs, pauseMs, retryDelaysMs } from '../../src/webhooks/retry-schedule.ts'

const nowMs = Date.parse('2026-11-21T09:30:00Z')
const next = (failures: number, retryAfter: string | null = null, random = 0.5) =>
  nextDelayMs(failures, { retryAfter, nowMs, random })

test('it is tried nine times more over about 76 hours, and then given up', () => {
  const delays = Array.from({ length: 10 }, (_, i) => next(i + 1))
  expect(delays).toEqual([...retryDelaysMs, null])
  const hours = retryDelaysMs.reduce((sum, delayMs) => sum + delayMs, 0) / 3_600_000
  expect(hours).toBeCloseTo(75.6, 1)
})

test('each delay is spread by a fifth and no more, whatever the receiver asks for, up to a day', () => {
  const asked = fc.oneof(
    fc.constant(null),
    fc.nat().map(String),
    fc.string(),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  )
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      asked,
      (failures, random, retryAfter) => {
        const delayMs = next(failures, retryAfter, random) as number
        const usualMs = retryDelaysMs[failures - 1] as number
        expect(delayMs).toBeGreaterThanOrEqual(Math.floor(usualMs * 0.8))
        expect(delayMs).toBeLessThanOrEqual(Math.max(usualMs * 1.2, 86_400_000))
        expect(delayMs).toBeLessThanOrEqual(longestDelayMs)
        if (retryAfter === null) expect(delayMs).toBeLessThanOrEqual(Math.ceil(usualMs * 1.2))
      },
    ),
  )
})

test('Retry-After is seconds or a date, and never brings a retry forward', () => {
  expect(next(1, '60')).toBe(60_000)
  expect(next(1, 'Sat, 21 Nov 2026 09:31:30 GMT')).toBe(90_000)
  expect(next(1, '1')).toBe(5_000)
  expect(next(1, 'Sat, 21 Nov 2026 09:00:00 GMT')).toBe(5_000)
  expect(next(1, 'soon')).toBe(5_000)
  expect(next(1, '-5')).toBe(5_000)
  expect(next(1, '9999999999')).toBe(86_400_000)
})

test('pauses grow by half of the time for which an endpoint fails, to a minute, and the first failure makes none', () => {
  expect(
    [0, 1, 2, 1_000, 60_000, 119_999, 120_000, 86_400_000].map((ms) => pauseMs(nowMs, nowMs + ms)),
  ).toEqual([0, 0, 1, 500, 30_000, 59_999, 60_000, 60_000])
  expect(pauseMs(nowMs, nowMs - 1)).toBe(0)
})
