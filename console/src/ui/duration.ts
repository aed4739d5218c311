import { formatNumber } from './format.ts'

const units: readonly [unit: string, lengthMs: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
]

/** Formats a duration with two significant digits: "4.2 s", "35 s", "1.5 h". The resolution ends at 250 ms. */
export function formatDuration(ms: number): string {
  if (ms <= 250) return 'under 0.3 s'
  const [unit, lengthMs] = units.find(([, length]) => ms >= length) ?? (['s', 1_000] as const)
  const value = ms / lengthMs
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

/** Formats an average: "3.4/day, 7-day average". `perDay` is null before the first whole day of use. */
export function formatDailyUse({ perDay, days }: { perDay: number | null; days: number }): string {
  if (perDay === null) return 'less than one day of use'
  const mean = perDay < 10 ? Math.round(perDay * 10) / 10 : Math.round(perDay)
  return `${formatNumber(mean)}/day, ${days}-day average`
}

const maxDays = 3_650

/** Formats a number of days, as precisely as planning needs it. */
export function formatDays(days: number): string {
  if (days > maxDays) return 'over 10 years'
  if (days < 1) return 'under 1 day'
  return days < 2 ? '1 day' : `${Math.floor(days)} days`
}
