import { hourMs, minuteMs } from '../runtime/clock.ts'

const secondMs = 1_000

/**
 * Delay before each retry of a delivery: about 76 hours in all. After one more failure it has failed
 * permanently.
 */
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

/** Jitter: deliveries that failed together are not retried together. */
const spread = 0.2
/** A longer `Retry-After` would stop deliveries altogether. */
const maxRetryAfterMs = 24 * hourMs
/** No delivery waits longer, unless a clock was ahead when it was stored. */
export const longestDelayMs = Math.ceil(24 * hourMs * (1 + spread))

/**
 * Returns the delay after the `failures`-th failure, never less than the receiver requested (`Retry-After`,
 * RFC 9110 section 10.2.3, bounded); null when the delivery has failed permanently. `random` is from 0 to 1.
 */
export function nextDelayMs(
  failures: number,
  { retryAfter, nowMs, random }: { retryAfter: string | null; nowMs: number; random: number },
): number | null {
  const delayMs = retryDelaysMs[failures - 1]
  if (delayMs === undefined) return null
  const spreadMs = Math.round(delayMs * (1 + spread * (2 * random - 1)))
  return Math.max(spreadMs, requestedPauseMs(retryAfter, nowMs))
}

/** A recovered endpoint is found within this time. One trial a minute costs next to nothing. */
const maxPauseMs = minuteMs

/**
 * Returns the pause of an endpoint that has failed since `failingSince`, after one more failure: half of that
 * time, at most a minute. So pauses grow by half from trial to trial, however many deliveries failed
 * together. A first failure makes no pause: the cause may be that one event.
 */
export const pauseMs = (failingSince: number, nowMs: number): number =>
  Math.min(maxPauseMs, Math.max(0, Math.floor((nowMs - failingSince) / 2)))

/**
 * Returns the pause that a receiver requested (`Retry-After`, RFC 9110 section 10.2.3), at most a day; 0
 * without a request.
 */
export const requestedPauseMs = (retryAfter: string | null, nowMs: number): number =>
  Math.min(readRetryAfter(retryAfter, nowMs), maxRetryAfterMs)

/** Reads seconds or a date; anything else requests nothing. */
function readRetryAfter(text: string | null, nowMs: number): number {
  if (text === null) return 0
  if (/^\d{1,10}$/.test(text.trim())) return Number(text) * secondMs
  const at = Date.parse(text)
  return Number.isNaN(at) ? 0 : Math.max(0, at - nowMs)
}
