/**
 * Parses an instant by RFC 3339 section 5.6, with any offset. Returns milliseconds, or the fault. Finer
 * fractions round up, so that both "from" and "before" keep their meaning for times that are stored in
 * milliseconds.
 */
export function parseInstant(text: string): number | { detail: string; suggestion?: string } {
  if (/^\d{4}-\d\d-\d\d[Tt][\d:.]+$/.test(text))
    return {
      detail: 'The offset is missing: end with Z for UTC, or with +01:00 and the like.',
      suggestion: `${text}Z`,
    }
  const atMs = timeOf(text)
  if (!Number.isNaN(atMs)) return atMs
  const suggestion = asRfc3339(text)
  return {
    detail: `Must be a date and time by RFC 3339, such as 2026-11-21T09:30:00Z${suggestion === null ? '' : ' or 2026-11-21T11:30:00+02:00'}.`,
    ...(suggestion !== null && { suggestion }),
  }
}

/**
 * ISO 8601 forms with the same meaning that are not RFC 3339: an offset without its colon or minutes, no
 * seconds, a space for the T or for a lost plus.
 */
const iso8601 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)? ?(?:[Zz]|([ +-])(\d\d):?(\d\d)?)$/

function asRfc3339(text: string): string | null {
  const found = iso8601.exec(text)
  if (found === null) return null
  const [, date, time, seconds = ':00', sign, hours, minutes = '00'] = found
  const offset = sign === undefined ? 'Z' : `${sign === ' ' ? '+' : sign}${hours}:${minutes}`
  const written = `${date}T${time}${seconds}${offset}`
  return Number.isNaN(timeOf(written)) ? null : written
}

const timeOf = (text: string): number => {
  const found = dateTime.exec(text)
  return found === null ? Number.NaN : instantOf(found)
}

const dateTime = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$/

function instantOf([
  ,
  year,
  month,
  day,
  hour,
  minute,
  second,
  fraction = '',
  offset = 'Z',
]: readonly string[]): number {
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const midnight = new Date(0)
  midnight.setUTCFullYear(y, mo - 1, d)
  // A day that the month does not have overflows into the next month.
  if (mo < 1 || mo > 12 || midnight.getUTCDate() !== d || d < 1 || h > 23 || mi > 59 || s > 59)
    return Number.NaN
  const [offsetHours, offsetMinutes] = /^[Zz]$/.test(offset)
    ? [0, 0]
    : [Number(offset.slice(1, 3)), Number(offset.slice(4))]
  if (offsetHours > 23 || offsetMinutes > 59) return Number.NaN
  const offsetMs = (offset.startsWith('-') ? -1 : 1) * (offsetHours * 60 + offsetMinutes) * 60_000
  const fractionMs = Math.ceil(Number(`0.${fraction || 0}`) * 1000 - 1e-9)
  return midnight.getTime() + ((h * 60 + mi) * 60 + s) * 1000 + fractionMs - offsetMs
}
