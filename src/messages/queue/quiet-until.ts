import { dayMs, minuteMs } from '../../runtime/clock.ts'

/** Hours of the local day in which an account's messages disturb nobody, in minutes since midnight; over midnight where `from` lies behind `until`. */
export interface QuietHours {
  from: number
  until: number
}

/**
 * Until when messages to a country wait, or null when they may go now. A country with several time zones is quiet while any of them is, for its
 * numbers do not tell where their people are. Where one zone is always quiet (Russia spans ten hours), the best there is counts: the instants at
 * which fewest are. Numbers of no country are never quiet. Zones are those of the ICU data of Node, summer time included.
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

/** Whole batches go to one country within one minute; finding an end takes up to a millisecond. */
const answers = new Map<string, { minute: number; untilMs: number | null }>()
const maxAnswers = 1_000

/** The number of quiet zones falls only where one of them ends, or its clocks change: among those instants of a day is the best one. */
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

/** When the clocks of a zone show the end, as they go now and as they go tomorrow; and when they change, which may skip it, or lead out of the hours. */
function endsOfDay(zone: string, nowMs: number, { until }: QuietHours): number[] {
  const offsets = new Set([offsetAt(zone, nowMs), offsetAt(zone, nowMs + dayMs)])
  const ends = [...offsets].map((offset) => {
    const minutes = mod(until - nowMs / minuteMs - offset, dayMinutes)
    return nowMs + (minutes === 0 ? dayMinutes : minutes) * minuteMs
  })
  return offsets.size === 1 ? ends : [...ends, changeOfClocks(zone, nowMs)]
}

/** The minute of the next day from which the clocks go as they go at its end. */
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

/** Of zones whose clocks agree today and tomorrow one is enough: of 29 of the United States 6 are left. */
function zonesOf(country: string, nowMs: number): string[] {
  const alike = new Map(
    allZones(country).map((zone) => [`${offsetAt(zone, nowMs)} ${offsetAt(zone, nowMs + dayMs)}`, zone]),
  )
  return [...alike.values()]
}

/** Without a zone of its own in the data, where only the country that it belongs to has one. */
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

/** By how many minutes the clocks of a zone are ahead of UTC. */
function offsetAt(zone: string, atMs: number): number {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', day: 'numeric', hour: 'numeric', minute: 'numeric' }) // prettier-ignore
    formats.set(zone, format)
  }
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]))
  const at = new Date(atMs)
  const days = (parts.get('day') ?? 0) - at.getUTCDate()
  // The last of a month beside the first of the next.
  const ahead = days > 1 ? -1 : days < -1 ? 1 : days
  const local = (parts.get('hour') ?? 0) * 60 + (parts.get('minute') ?? 0)
  return ahead * dayMinutes + local - (at.getUTCHours() * 60 + at.getUTCMinutes())
}
