import { dayMs } from '../../runtime/clock.ts'

/** Days of a SIM, as days since 1970 in its zone, and the months of its contract. */

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the day that an instant belongs to in a zone, by the ICU data of Node.js; in UTC if it has no such zone. */
export function dayIn(zone: string, atMs: number): number {
  let format = formats.get(zone)
  if (format === undefined) {
    const timeZone = isZone(zone) ? zone : 'UTC'
    format = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: 'numeric', day: 'numeric' })
    formats.set(zone, format)
  }
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]))
  return dayOf(parts.get('year') ?? 0, (parts.get('month') ?? 1) - 1, parts.get('day') ?? 1)
}

const dayOf = (year: number, month: number, day: number): number => Date.UTC(year, month, day) / dayMs

/** A month of a contract: from the first day until before the second one. */
export interface PlanMonth {
  from: number
  until: number
}

/**
 * Returns the month of a contract that a day belongs to. It starts on the day `starts` of the calendar; in a month without
 * that day on the last one.
 */
export function monthOf(day: number, starts: number): PlanMonth {
  const date = new Date(day * dayMs)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const start = (offset: number): number => {
    const days = new Date(Date.UTC(year, month + offset + 1, 0)).getUTCDate()
    return dayOf(year, month + offset, Math.min(starts, days))
  }
  return day >= start(0) ? { from: start(0), until: start(1) } : { from: start(-1), until: start(0) }
}

/** Formats a day as in RFC 3339. */
export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** Returns whether ICU has the zone. */
export function isZone(zone: string): boolean {
  try {
    return (
      new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== '' && zone !== ''
    )
  } catch {
    return false
  }
}
