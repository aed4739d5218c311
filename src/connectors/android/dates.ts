import { rfc3339 } from '../../runtime/clock.ts'

/**
 * Formats a date so that the app parses it correctly: exactly three fraction digits, since it takes all of
 * them for milliseconds (Java's SimpleDateFormat).
 */
export const writeDate = (atMs: number): string => rfc3339(Math.round(atMs))

/**
 * Parses a date of the app; null if it cannot be parsed. The app writes local time with the offset of its
 * zone. Android before 7 formats a western offset incorrectly (`+-5:00`, `+-3:-30`; `setDateFormatISO8601`,
 * app 1.68).
 */
export function readDate(text: unknown): number | null {
  const [, local, sign, minus, hours = '0', minutes = '0'] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?)(?:Z|([+-])(-?)(\d{1,2}):?-?(\d\d))$/.exec(
      String(text),
    ) ?? []
  if (typeof text !== 'string' || local === undefined) return null
  const isWest = sign === '-' || minus === '-'
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  const atMs = Date.parse(`${local}Z`) + (isWest ? offsetMs : -offsetMs)
  return Number.isNaN(atMs) ? null : atMs
}
