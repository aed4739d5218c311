/**
 * Time as a dependency. Code that reads the time or waits receives a `Clock`, so that tests can control it.
 */
export interface Clock {
  /** Wall clock in milliseconds since 1970, UTC. May jump; never used to measure a duration. */
  now(): number
  /** Monotonic milliseconds; only differences mean anything. */
  monotonicMs(): number
  /** Runs `task` once after `delayMs`. Returns a function that cancels it. Does not keep the process alive. */
  schedule(delayMs: number, task: () => void): () => void
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  schedule(delayMs, task) {
    // setTimeout fires immediately for delays above 2^31 - 1 ms (24.8 days), so longer waits are split.
    const longestMs = 2 ** 31 - 1
    let timer: NodeJS.Timeout
    const wait = (leftMs: number): void => {
      const stepMs = Math.min(leftMs, longestMs)
      timer = setTimeout(() => (leftMs > stepMs ? wait(leftMs - stepMs) : task()), stepMs)
      timer.unref()
    }
    wait(Math.max(0, delayMs))
    return () => clearTimeout(timer)
  },
}

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Returns the UTC day of an instant as a whole number of days since 1970. */
export const utcDay = (atMs: number): number => Math.floor(atMs / dayMs)

const numbersTo = (end: number, digits: number): readonly string[] =>
  Array.from({ length: end }, (_, i) => String(i).padStart(digits, '0'))
const [twoDigits, threeDigits] = [numbersTo(60, 2), numbersTo(1_000, 3)]

/** From then on a year has six digits and a sign. */
const year10000Ms = Date.UTC(10_000)

/** The minute of the last instant that was formatted, up to its seconds: those of a page are mostly of a few minutes. */
let lastMinute = { number: Number.NaN, text: '' }

/**
 * Formats an instant by RFC 3339 in UTC with exactly three fraction digits. A page of history has hundreds of them;
 * `toISOString` alone would be an eighth of its time.
 */
export function rfc3339(atMs: number): string {
  if (!(Number.isInteger(atMs) && atMs >= 0 && atMs < year10000Ms)) return new Date(atMs).toISOString()
  const number = Math.floor(atMs / minuteMs)
  if (number !== lastMinute.number)
    lastMinute = { number, text: new Date(number * minuteMs).toISOString().slice(0, -'00.000Z'.length) }
  const ms = atMs - number * minuteMs
  return `${lastMinute.text}${twoDigits[Math.floor(ms / 1_000)]}.${threeDigits[ms % 1_000]}Z`
}

/** Formats an instant that may be absent. */
export const rfc3339OrNull = (atMs: number | null | undefined): string | null =>
  atMs === null || atMs === undefined ? null : rfc3339(atMs)
