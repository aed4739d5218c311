const number = new Intl.NumberFormat(undefined)
const exactTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })

export const formatNumber = (value: number): string => number.format(value)

/** Formats a moment, to the second, in the time zone of the browser. */
export const formatExact = (atMs: number): string => exactTime.format(atMs)

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, lengthMs: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
]

/** Formats how long ago a moment was, in the largest unit that fits: "3 min. ago". */
export function formatRelative(atMs: number, nowMs: number): string {
  const distanceMs = atMs - nowMs
  const [unit, lengthMs] =
    steps.find(([, length]) => Math.abs(distanceMs) >= length) ?? (['second', 1000] as const)
  return relative.format(Math.trunc(distanceMs / lengthMs), unit)
}

/** Formats how long a state has lasted, in the largest unit that fits: "17 min". */
export function formatElapsed(spanMs: number): string {
  const [unit, lengthMs] = spans.find(([, length]) => spanMs >= length) ?? (['s', 1000] as const)
  return `${Math.floor(spanMs / lengthMs)} ${unit}`
}

const spans: readonly [unit: string, lengthMs: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
]

/** Formats a duration: "820 ms", "4.2 s", "3 min 5 s", "2 h 10 min", "3 d 4 h". */
export function formatSpan(spanMs: number): string {
  if (spanMs < 1000) return `${Math.round(spanMs)} ms`
  if (spanMs < 60_000) return `${(spanMs / 1000).toFixed(1)} s`
  const minutes = Math.floor(spanMs / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.floor((spanMs % 60_000) / 1000)} s`
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
