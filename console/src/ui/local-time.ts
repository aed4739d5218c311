/** A time of day as somebody picked it: without a zone, as `<input type="datetime-local">` gives it; empty when nothing was picked. */
export interface PickedTime {
  local: string
  /** Where the clocks go back an hour comes twice: whether the second one is meant. */
  isSecond: boolean
}

export const noTime: PickedTime = { local: '', isSecond: false }

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/**
 * The instants at which the clocks of a zone show a time: one, none where they jump over it in spring, two where an hour comes twice in autumn,
 * the earlier first.
 */
export function instantsOf(local: string, zone: string): number[] {
  const shownMs = Date.parse(`${local}Z`)
  if (Number.isNaN(shownMs)) return []
  // No zone has moved by more than a day, and none twice within two.
  const offsets = new Set([-dayMs, 0, dayMs].map((aside) => offsetAt(shownMs + aside, zone)))
  return [...offsets]
    .map((offset) => shownMs - offset)
    .filter((atMs) => atMs + offsetAt(atMs, zone) === shownMs)
    .toSorted((a, b) => a - b)
}

const dayMs = 86_400_000

/** The instant that was picked; null when nothing was, or the clocks never show it. */
export function instantOf({ local, isSecond }: PickedTime, zone: string): number | null {
  const instants = instantsOf(local, zone)
  return (isSecond ? instants[1] : undefined) ?? instants[0] ?? null
}

/** An instant as it would be picked in a zone, to the minute. */
export function pickedOf(atMs: number, zone: string): PickedTime {
  const local = new Date(atMs + offsetAt(atMs, zone)).toISOString().slice(0, 16)
  return { local, isSecond: instantsOf(local, zone)[1] === atMs - (atMs % 60_000) }
}

/** By how much the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
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

/** `UTC+1`, `UTC−3:30`. */
export function offsetName(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000)
  const rest = minutes % 60 === 0 ? '' : `:${String(minutes % 60).padStart(2, '0')}`
  return `UTC${offsetMs < 0 ? '−' : '+'}${Math.floor(minutes / 60)}${rest}`
}
