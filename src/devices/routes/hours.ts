import { minuteMs } from '../../runtime/clock.ts'
import type { HoursJson } from '../../storage/tables/route-tables.ts'

const formats = new Map<string, Intl.DateTimeFormat>()
/** Zones come from rules, which a client cannot write: there are as many as IANA has. */
const maxFormats = 1_000

/** By zone: a planner asks for every route of a round. */
const answers = new Map<string, { minute: number; local: number }>()

/** Returns whether a time is within these hours, by the clocks of their zone. */
export function isWithin({ from, until, zone }: HoursJson, atMs: number): boolean {
  const minute = localMinute(zone, atMs)
  return from < until ? minute >= from && minute < until : minute >= from || minute < until
}

function localMinute(zone: string, atMs: number): number {
  const minute = Math.floor(atMs / minuteMs)
  const known = answers.get(zone)
  if (known?.minute === minute) return known.local
  let format = formats.get(zone)
  if (format === undefined) {
    if (formats.size >= maxFormats) formats.clear()
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', hour: 'numeric', minute: 'numeric' }) // prettier-ignore
    formats.set(zone, format)
  }
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]))
  const local = (parts.get('hour') ?? 0) * 60 + (parts.get('minute') ?? 0)
  if (answers.size >= maxFormats) answers.clear()
  answers.set(zone, { minute, local })
  return local
}
