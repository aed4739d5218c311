/** A picked time without a zone, as `<input type="datetime-local">` returns it; empty when none was picked. */
export interface PickedTime {
  local: string
  /** When the clocks go back, an hour repeats: whether the second occurrence is meant. */
  isSecond: boolean
}

export const noTime: PickedTime = { local: '', isSecond: false }

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/**
 * Returns the instants at which the clocks of a zone show a time: one; none where they skip it in spring; two where
 * an hour repeats in autumn, the earlier first.
 */
export function instantsOf(local: string, zone: string): number[] {
  const shownMs = Date.parse(`${local}Z`)
  if (Number.isNaN(shownMs)) return []
  // No zone has ever changed by more than a day, or twice within two days.
  const offsets = new Set([-dayMs, 0, dayMs].map((aside) => offsetAt(shownMs + aside, zone)))
  return [...offsets]
    .map((offset) => shownMs - offset)
    .filter((atMs) => atMs + offsetAt(atMs, zone) === shownMs)
    .toSorted((a, b) => a - b)
}

const dayMs = 86_400_000

/** Returns the picked instant, or null when none was picked or the clocks skip it. */
export function instantOf({ local, isSecond }: PickedTime, zone: string): number | null {
  const instants = instantsOf(local, zone)
  return (isSecond ? instants[1] : undefined) ?? instants[0] ?? null
}

/** Returns an instant as it would be picked in a zone, to the minute. */
export function pickedOf(atMs: number, zone: string): PickedTime {
  const local = new Date(atMs + offsetAt(atMs, zone)).toISOString().slice(0, 16)
  return { local, isSecond: instantsOf(local, zone)[1] === atMs - (atMs % 60_000) }
}

/** Returns the UTC offset of a zone at an instant, in milliseconds. */
export function offsetAt(atMs: number, zone: string): number {
  const parts = new Map(
    formatIn(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
  const shownMs = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
  return shownMs - (atMs - mod(atMs, 1000))
}

const mod = (a: number, b: number): number => ((a % b) + b) % b

const formats = new Map<string, Intl.DateTimeFormat>()
function formatIn(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
    }) // prettier-ignore
    formats.set(zone, format)
  }
  return format
}

/** Formats an offset: `UTC+1`, `UTC−3:30`. */
export function offsetName(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000)
  const rest = minutes % 60 === 0 ? '' : `:${String(minutes % 60).padStart(2, '0')}`
  return `UTC${offsetMs < 0 ? '−' : '+'}${Math.floor(minutes / 60)}${rest}`
}
