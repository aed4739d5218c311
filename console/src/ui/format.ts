const number = new Intl.NumberFormat(undefined)
const exactTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })

export const formatNumber = (value: number): string => number.format(value)

/** A moment, to the second, in the reader's own time zone. */
export const formatExact = (atMs: number): string => exactTime.format(atMs)

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, lengthMs: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
]

/** How long ago, in the largest unit that fits: "3 min. ago". */
export function formatRelative(atMs: number, nowMs: number): string {
  const distanceMs = atMs - nowMs
  const [unit, lengthMs] =
    steps.find(([, length]) => Math.abs(distanceMs) >= length) ?? (['second', 1000] as const)
  return relative.format(Math.trunc(distanceMs / lengthMs), unit)
}
