import { dayMs, minuteMs } from '../../runtime/clock.ts'

/**
 * Hours of the local day in which an account's messages must not disturb recipients, in minutes since
 * midnight; past midnight if `from` is after `until`.
 */
export interface QuietHours {
  from: number
  until: number
}

/**
 * Returns until when messages to a country are delayed, or null if they can be sent now. A country with
 * several time zones is quiet while any of them is, because a number does not show the zone of its owner.
 * Where some zone is always quiet (Russia spans ten hours), messages are sent when the fewest zones are.
 * Numbers without a country are never quiet. Zones come from the ICU data of Node.js, with summer time.
 */
export function quietUntil(country: string | null, nowMs: number, hours: QuietHours): number | null {
  if (country === null) return null
  const minute = Math.floor(nowMs / minuteMs)
  const name = `${country} ${hours.from} ${hours.until}`
  const known = answers.get(name)
  if (known?.minute === minute) return known.untilMs
  const untilMs = findEnd(zonesOf(country, minute * minuteMs), minute * minuteMs, hours)
  if (answers.size >= maxAnswers) answers.clear()
  answers.set(name, { minute, untilMs })
  return untilMs
}

const dayMinutes = 1_440

/** Whole batches go to one country within one minute, and finding an end takes up to a millisecond. */
const answers = new Map<string, { minute: number; untilMs: number | null }>()
const maxAnswers = 1_000

/**
 * The number of quiet zones decreases only where the hours of one end, or its clocks change: the best instant
 * of a day is one of those.
 */
function findEnd(zones: readonly string[], nowMs: number, hours: QuietHours): number | null {
  const quietAt = (atMs: number): number => zones.filter((zone) => isQuiet(zone, atMs, hours)).length
  const now = quietAt(nowMs)
  if (now === 0) return null
  const ends = zones.flatMap((zone) => endsOfDay(zone, nowMs, hours)).toSorted((a, b) => a - b)
  const counted = ends.map((atMs) => ({ atMs, quiet: quietAt(atMs) }))
  const fewest = counted.reduce((least, { quiet }) => Math.min(least, quiet), now)
  return fewest === now ? null : (counted.find(({ quiet }) => quiet === fewest)?.atMs ?? null)
}

function isQuiet(zone: string, atMs: number, { from, until }: QuietHours): boolean {
  const minute = localMinute(zone, atMs)
  return from < until ? minute >= from && minute < until : minute >= from || minute < until
}

/**
 * Returns when the hours of a zone end, by its present offset and by tomorrow's, and when its clocks change,
 * which can skip the end or lead out of the hours.
 */
function endsOfDay(zone: string, nowMs: number, { until }: QuietHours): number[] {
  const offsets = new Set([offsetAt(zone, nowMs), offsetAt(zone, nowMs + dayMs)])
  const ends = [...offsets].map((offset) => {
    const minutes = mod(until - nowMs / minuteMs - offset, dayMinutes)
    return nowMs + (minutes === 0 ? dayMinutes : minutes) * minuteMs
  })
  return offsets.size === 1 ? ends : [...ends, changeOfClocks(zone, nowMs)]
}

/** Finds the minute of the next day at which the clocks of a zone change. */
function changeOfClocks(zone: string, nowMs: number): number {
  let [before, after] = [0, dayMinutes]
  const isChanged = (minute: number): boolean =>
    offsetAt(zone, nowMs + minute * minuteMs) === offsetAt(zone, nowMs + dayMs)
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (isChanged(middle)) after = middle
    else before = middle
  }
  return nowMs + after * minuteMs
}

const localMinute = (zone: string, atMs: number): number =>
  mod(Math.floor(atMs / minuteMs) + offsetAt(zone, atMs), dayMinutes)

const mod = (a: number, b: number): number => ((a % b) + b) % b

/** Keeps one of the zones whose clocks agree today and tomorrow: 6 of the 29 of the United States. */
function zonesOf(country: string, nowMs: number): string[] {
  const alike = new Map(
    allZones(country).map((zone) => [`${offsetAt(zone, nowMs)} ${offsetAt(zone, nowMs + dayMs)}`, zone]),
  )
  return [...alike.values()]
}

/** Territories without a zone of their own in the data, and the zone to use for them. */
const borrowed: Readonly<Record<string, string>> = {
  XK: 'Europe/Belgrade',
  AC: 'Atlantic/St_Helena',
  TA: 'Atlantic/St_Helena',
}

const zonesByCountry = new Map<string, readonly string[]>()
function allZones(country: string): readonly string[] {
  let zones = zonesByCountry.get(country)
  if (zones === undefined) {
    const { getTimeZones } = new Intl.Locale(`und-${country}`) as {
      getTimeZones?: () => string[] | undefined
    }
    const found = getTimeZones?.call(new Intl.Locale(`und-${country}`)) ?? []
    const own = borrowed[country]
    zones = found.length === 0 && own !== undefined ? [own] : found
    zonesByCountry.set(country, zones)
  }
  return zones
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns how many minutes the clocks of a zone are ahead of UTC. */
function offsetAt(zone: string, atMs: number): number {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', day: 'numeric', hour: 'numeric', minute: 'numeric' }) // prettier-ignore
    formats.set(zone, format)
  }
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]))
  const at = new Date(atMs)
  const days = (parts.get('day') ?? 0) - at.getUTCDate()
  // The last day of a month, next to the first of the following one.
  const ahead = days > 1 ? -1 : days < -1 ? 1 : days
  const local = (parts.get('hour') ?? 0) * 60 + (parts.get('minute') ?? 0)
  return ahead * dayMinutes + local - (at.getUTCHours() * 60 + at.getUTCMinutes())
}
