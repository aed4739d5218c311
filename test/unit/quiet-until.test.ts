import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quietUntil } from '../../src/messages/queue/quiet-until.ts'

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

test('an end that the clocks skip is kept where they skip it, and one that they show twice is kept twice', () => {
  const skipped = '2027-03-28T01:00:00.000Z'
  for (const end of [2 * 60, 2 * 60 + 30, 3 * 60]) {
    expect(until('DE', '2027-03-27T21:00:00Z', { from: 22 * 60, until: end })).toBe(skipped)
    expect(until('DE', '2027-03-28T00:59:00Z', { from: 22 * 60, until: end })).toBe(skipped)
  }
  expect(until('DE', '2027-03-28T00:45:00Z', { from: 100, until: 150 })).toBe(skipped)
  expect(until('DE', skipped, { from: 22 * 60, until: 150 })).toBe(null)
  const twice = { from: 22 * 60, until: 150 }
  expect(until('DE', '2026-10-24T20:00:00Z', twice)).toBe('2026-10-25T00:30:00.000Z')
  expect(until('DE', '2026-10-25T01:00:00Z', twice)).toBe('2026-10-25T01:30:00.000Z')
})

test('numbers of no country are never quiet; countries without a zone of their own borrow one', () => {
  expect(until(null, '2026-11-21T22:00:00Z')).toBe(null)
  expect(until('XK', '2026-11-21T22:00:00Z')).toBe('2026-11-22T07:00:00.000Z')
})

const quarterMs = 900_000

/** The minute of the day that a zone's clocks show. They change at full quarters of an hour only, which are kept: `format` is slow. */
function clockOf(timeZone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    hour: 'numeric',
    minute: 'numeric',
  })
  const known = new Map<number, number>()
  return (atMs) => {
    const quarter = Math.floor(atMs / quarterMs)
    let minuteThen = known.get(quarter)
    if (minuteThen === undefined) {
      const [hour, minute] = format.format(quarter * quarterMs).split(':')
      minuteThen = Number(hour) * 60 + Number(minute)
      known.set(quarter, minuteThen)
    }
    return minuteThen + Math.floor((atMs % quarterMs) / 60_000)
  }
}

const clocksOf = new Map(
  ['DE', 'US', 'AU', 'BR', 'NZ', 'MA', 'CL', 'ES', 'NP'].map((country) => {
    const zones = (new Intl.Locale(`und-${country}`) as { getTimeZones?: () => string[] }).getTimeZones!()
    return [country, zones.map(clockOf)]
  }),
)

/** The first minute of the next day at which fewest zones of the country are quiet, looked for at each; null where now is as good. */
function bestByLooking(country: string, nowMs: number, { from, until: end }: typeof night): number | null {
  const quiet = Array.from({ length: 1_441 }, () => 0)
  const seen = new Set<string>()
  for (const minuteAt of clocksOf.get(country)!) {
    // Zones with one clock count once.
    const clock = `${minuteAt(nowMs)} ${minuteAt(nowMs + 86_400_000)}`
    if (seen.has(clock)) continue
    seen.add(clock)
    for (let minute = 0; minute < quiet.length; minute++) {
      const local = minuteAt(nowMs + minute * 60_000)
      const isIn = from < end ? local >= from && local < end : local >= from || local < end
      if (isIn) quiet[minute]! += 1
    }
  }
  const fewest = quiet.reduce((least, count) => Math.min(least, count))
  return quiet[0] === fewest ? null : nowMs + quiet.indexOf(fewest) * 60_000
}

test('whatever the country, the hour and the hours: it is the first minute of a day at which fewest are disturbed, also where clocks change', () => {
  const countries = fc.constantFrom(...clocksOf.keys())
  const minute = fc.integer({ min: 0, max: 1_439 })
  const days = fc.constantFrom('2026-10-24', '2026-10-31', '2027-03-13', '2027-03-27', '2027-04-03', '2027-09-25', '2026-06-01') // prettier-ignore
  const byNight = fc.integer({ min: 90, max: 210 })
  const evening = fc.integer({ min: 1_200, max: 1_439 })
  fc.assert(
    fc.property(
      countries,
      days,
      fc.oneof(minute, evening),
      fc.oneof(minute, byNight),
      fc.integer({ min: -720, max: 1_440 }),
      (country, day, from, to, late) => {
        fc.pre(from !== to)
        const nowMs = Date.parse(`${day}T12:00:00Z`) + late * 60_000
        const hours = { from, until: to }
        expect(quietUntil(country, nowMs, hours)).toBe(bestByLooking(country, nowMs, hours))
      },
    ),
    { numRuns: 400 },
  )
})

test('whatever the country, the hour and the hours: what waits until what waits until an instant may go then, and that is within two days', () => {
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
