import { hourMs, minuteMs } from '../runtime/clock.ts'

const secondMs = 1_000

/** How long after each failure a delivery is tried again: about 76 hours in all. What has failed once more is given up. */
export const retryDelaysMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
] as const

/** So that what failed together does not come back together. */
const spread = 0.2
/** A receiver that asks for more would be asked for nothing in the end. */
const longestRetryAfterMs = 24 * hourMs
/** No delivery waits longer than this, unless a clock was ahead when it was written. */
export const longestDelayMs = Math.ceil(24 * hourMs * (1 + spread))

/**
 * How long to wait after the `failures`-th failure, never less than the receiver asked for (`Retry-After`, RFC 9110 section 10.2.3, bounded); null
 * when it is given up. `random` is from 0 to 1.
 */
export function nextDelayMs(
  failures: number,
  { retryAfter, nowMs, random }: { retryAfter: string | null; nowMs: number; random: number },
): number | null {
  const delayMs = retryDelaysMs[failures - 1]
  if (delayMs === undefined) return null
  const spreadMs = Math.round(delayMs * (1 + spread * (2 * random - 1)))
  return Math.max(spreadMs, askedPauseMs(retryAfter, nowMs))
}

/** An endpoint that is back is found to be within this; a trial each minute costs next to nothing. */
const longestPauseMs = minuteMs

/**
 * How long an endpoint that has failed since `failingSince` is left alone after one more failure: half of that time, at most a minute. So pauses grow
 * by half from trial to trial, however many deliveries failed at once. A first failure makes no pause: the cause may be that one event.
 */
export const pauseMs = (failingSince: number, nowMs: number): number =>
  Math.min(longestPauseMs, Math.max(0, Math.floor((nowMs - failingSince) / 2)))

/** How long a receiver asks to be left alone (`Retry-After`, RFC 9110 section 10.2.3), at most a day; 0 when it does not. */
export const askedPauseMs = (retryAfter: string | null, nowMs: number): number =>
  Math.min(readRetryAfter(retryAfter, nowMs), longestRetryAfterMs)

/** Seconds or a date; what is neither asks for nothing. */
function readRetryAfter(text: string | null, nowMs: number): number {
  if (text === null) return 0
  if (/^\d{1,10}$/.test(text.trim())) return Number(text) * secondMs
  const at = Date.parse(text)
  return Number.isNaN(at) ? 0 : Math.max(0, at - nowMs)
}
