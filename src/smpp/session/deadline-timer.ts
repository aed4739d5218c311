import type { Clock } from '../../runtime/clock.ts'

/**
 * One timer for all deadlines of a session: at 100,000 requests per second, a timer for each would cost more
 * than the request.
 */
export interface DeadlineTimer {
  /** Requests a call no later than `atMs`, on the monotonic clock. */
  by(atMs: number): void
  /** Calls now. */
  ring(): void
  /** Never calls again. */
  cancel(): void
}

/** `check` does what is due and returns the next deadline, or Infinity. It may be called early. */
export function createDeadlineTimer(
  tools: Pick<Clock, 'monotonicMs' | 'schedule'>,
  check: () => number,
): DeadlineTimer {
  let armedForMs = Number.POSITIVE_INFINITY
  let disarm: () => void = () => undefined
  let isCancelled = false

  const by = (atMs: number): void => {
    if (isCancelled || atMs >= armedForMs) return
    disarm()
    armedForMs = atMs
    disarm = tools.schedule(Math.max(0, atMs - tools.monotonicMs()), ring)
  }
  const ring = (): void => {
    disarm()
    armedForMs = Number.POSITIVE_INFINITY
    by(check())
  }
  const cancel = (): void => {
    isCancelled = true
    disarm()
  }
  return { by, ring, cancel }
}
