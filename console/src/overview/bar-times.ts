const dayMs = 86_400_000

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const dayAndClock = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const utcDate = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const exactUtcDate = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** Formats the start of a bar for the axis: in local time, except for days, which are counted in UTC. */
export function axisTime(atMs: number, barMs: number): string {
  if (barMs >= dayMs) return utcDate.format(atMs)
  return barMs >= dayMs / 4 ? dayAndClock.format(atMs) : clock.format(atMs)
}

/** Formats the time range of a bar. */
export const barTime = (atMs: number, barMs: number): string =>
  barMs >= dayMs
    ? `${exactUtcDate.format(atMs)} (UTC)`
    : `${exact.format(atMs)} to ${clock.format(atMs + barMs)}`
