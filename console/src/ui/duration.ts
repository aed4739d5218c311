import { formatNumber } from './format.ts'

const units: readonly [unit: string, lengthMs: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
]

/** A duration with two digits that count: "4.2 s", "35 s", "1.5 h". The shortest that is told apart is a quarter of a second. */
export function formatDuration(ms: number): string {
  if (ms <= 250) return 'under 0.3 s'
  const [unit, lengthMs] = units.find(([, length]) => ms >= length) ?? (['s', 1_000] as const)
  const value = ms / lengthMs
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

/** A mean as people say it: "at 3.4 a day, mean of 7 days". Null when there was no whole day of use yet. */
export function paceInWords({ perDay, days }: { perDay: number | null; days: number }): string {
  if (perDay === null) return 'no whole day of use yet'
  const mean = perDay < 10 ? Math.round(perDay * 10) / 10 : Math.round(perDay)
  return `at ${formatNumber(mean)} a day, mean of ${days} ${days === 1 ? 'day' : 'days'}`
}

const longestDays = 3_650

/** A number of days as people plan with them. */
export function formatDays(days: number): string {
  if (days > longestDays) return 'over 10 years'
  if (days < 1) return 'under a day'
  return days < 2 ? '1 day' : `${Math.floor(days)} days`
}
