import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quietUntil } from '../../src/messages/quiet-hours.ts'

const night = { from: 21 * 60, until: 8 * 60 }
const until = (country: string | null, at: string, hours = night): string | null => {
  const atMs = quietUntil(country, Date.parse(at), hours)
  return atMs === null ? null : new Date(atMs).toISOString()
}

test('by day a message goes, by night it waits for the morning of its country', () => {
  expect(until('FR', '2026-11-21T09:30:00Z')).toBe(null)
  expect(until('FR', '2026-11-21T19:59:59Z')).toBe(null)
  expect(until('FR', '2026-11-21T20:00:00Z')).toBe('2026-11-22T07:00:00.000Z')
  expect(until('FR', '2026-11-22T06:59:59Z')).toBe('2026-11-22T07:00:00.000Z')
  expect(until('FR', '2026-11-22T07:00:00Z')).toBe(null)
  expect(until('IN', '2026-11-21T22:00:00Z')).toBe('2026-11-22T02:30:00.000Z')
})

test('hours within a day are quiet, too', () => {
  const noon = { from: 12 * 60, until: 14 * 60 }
  expect(until('FR', '2026-11-21T12:30:00Z', noon)).toBe('2026-11-21T13:00:00.000Z')
  expect(until('FR', '2026-11-21T22:30:00Z', noon)).toBe(null)
})

test('a country with several zones is quiet while any of them is', () => {
  // New York begins its day when Honolulu is in the middle of the night, 21:00 there is 02:00 here.
  expect(until('US', '2026-11-21T13:00:00Z')).toBe('2026-11-21T18:00:00.000Z')
  expect(until('US', '2026-11-21T18:00:00Z')).toBe(null)
  expect(until('US', '2026-11-22T01:59:00Z')).toBe(null)
  expect(until('US', '2026-11-22T02:00:00Z')).toBe('2026-11-22T18:00:00.000Z')
})

test('where one zone is always quiet, the hours in which fewest are count', () => {
  const long = { from: 17 * 60, until: 12 * 60 }
  // Fourteen hours of Russia never have the same afternoon; a message goes all the same, within a day.
  const nowMs = Date.parse('2026-11-21T20:00:00Z')
  const untilMs = quietUntil('RU', nowMs, long) as number
  expect(untilMs - nowMs).toBeLessThan(86_400_000)
  expect(quietUntil('RU', untilMs, long)).toBe(null)
})

test('the night in which the clocks change is as long as it is', () => {
  // Back by an hour at 01:00 UTC, forward at 01:00 UTC.
  expect(until('FR', '2026-10-24T22:00:00Z')).toBe('2026-10-25T07:00:00.000Z')
  expect(until('FR', '2027-03-27T22:00:00Z')).toBe('2027-03-28T06:00:00.000Z')
})

test('numbers of no country are never quiet; countries without a zone of their own borrow one', () => {
  expect(until(null, '2026-11-21T22:00:00Z')).toBe(null)
  expect(until('XK', '2026-11-21T22:00:00Z')).toBe('2026-11-22T07:00:00.000Z')
})

test('whatever the country, the hour and the hours: what waits until an instant may go then, and that is within two days', () => {
  const countries = fc.constantFrom('FR', 'US', 'RU', 'AU', 'BR', 'IN', 'NZ', 'MA', 'CL', 'ES', 'IR', 'NP')
  const minute = fc.integer({ min: 0, max: 1_439 })
  const at = fc.integer({
    min: Date.parse('2026-01-01T00:00:00Z') / 60_000,
    max: Date.parse('2028-01-01T00:00:00Z') / 60_000,
  })
  fc.assert(
    fc.property(countries, minute, minute, at, (country, from, to, minuteNow) => {
      fc.pre(from !== to)
      let atMs = minuteNow * 60_000
      let waits = 0
      for (let next = quietUntil(country, atMs, { from, until: to }); next !== null; waits++) {
        expect(next).toBeGreaterThan(atMs)
        atMs = next
        next = quietUntil(country, atMs, { from, until: to })
      }
      // More than once only where the clocks change on the way.
      expect(waits).toBeLessThanOrEqual(3)
      expect(atMs - minuteNow * 60_000).toBeLessThanOrEqual(2 * 86_400_000)
    }),
    { numRuns: 400 },
  )
})
