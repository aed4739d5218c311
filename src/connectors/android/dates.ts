import { rfc3339 } from '../../runtime/clock.ts'

/** A date as the app reads it right: exactly three fraction digits, since it takes all of them for milliseconds (Java's SimpleDateFormat). */
export const writeDate = (atMs: number): string => rfc3339(Math.round(atMs))

/**
 * The instant that the app means, or null when nothing can be made of it. It writes its local time with the offset of its zone; an
 * Android before 7 glues a western offset together wrongly (`+-5:00`, `+-3:-30`; `setDateFormatISO8601`, app 1.68).
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
