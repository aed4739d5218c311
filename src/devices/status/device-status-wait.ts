/** The state of a rate limit: what is left of this window, and when the next one begins (null: with the next part). */
export interface StandingPace {
  partsPerWindow: number
  windowSeconds: number
  remaining: number
  resetsAt: number | null
  /** The device is not woken: it may take this long to ask for messages. Omitted: immediately. */
  pickUpSeconds?: number
}

/**
 * How long the SMSGate app may take to ask for messages when it is not woken: without an event stream it has
 * only its PullMessagesWorker, at the shortest interval of Android's WorkManager
 * (PeriodicWorkRequest.MIN_PERIODIC_INTERVAL_MILLIS).
 */
const pollSeconds = 900

/** Returns the longest time until a device asks for a message, by its connection. */
export const pickUpSecondsOf = (link: string): number =>
  link === 'poll' || link === 'push' ? pollSeconds : 0

type PaceOfDevice = StandingPace & { bySim?: readonly Omit<StandingPace, 'windowSeconds'>[] }

/** Returns the rate limits of a device: one, or one per SIM; the time until it asks for messages applies to all. */
export const standingPaces = ({ windowSeconds, bySim, ...all }: PaceOfDevice, link: string): StandingPace[] =>
  (bySim ?? [all]).map(({ partsPerWindow, remaining, resetsAt }) => ({
    partsPerWindow,
    windowSeconds,
    remaining,
    resetsAt,
    ...(pickUpSecondsOf(link) > 0 && { pickUpSeconds: pickUpSecondsOf(link) }),
  }))

/** Maximum estimate: messages expire earlier (validity at most 72 h). */
const longestSeconds = 259_200

/**
 * Estimates the seconds until everything queued can have been sent at the rate of these devices: 0 when it
 * fits into the current windows of those that are woken. Null when unknown: no device works, one has no rate
 * limit (null), or it would take more than three days.
 */
export function estimateWaitSeconds(
  parts: number,
  paces: readonly (StandingPace | null)[],
  nowMs: number,
): number | null {
  if (parts === 0) return 0
  const known = paces.filter((pace) => pace !== null)
  if (known.length === 0 || known.length < paces.length) return null
  if (capacityWithin(known, longestSeconds, nowMs) < parts) return null
  let [tooShort, enough] = [-1, longestSeconds]
  while (enough - tooShort > 1) {
    const middle = Math.floor((tooShort + enough) / 2)
    if (capacityWithin(known, middle, nowMs) >= parts) enough = middle
    else tooShort = middle
  }
  return enough
}

/** Parts that the devices may send within this many seconds from now. */
const capacityWithin = (paces: readonly StandingPace[], seconds: number, nowMs: number): number =>
  paces.reduce((sum, pace) => {
    if (seconds < (pace.pickUpSeconds ?? 0)) return sum
    const resetsInMs = pace.resetsAt === null ? pace.windowSeconds * 1000 : Math.max(0, pace.resetsAt - nowMs)
    const sinceResetMs = seconds * 1000 - resetsInMs
    const windows = sinceResetMs < 0 ? 0 : 1 + Math.floor(sinceResetMs / (pace.windowSeconds * 1000))
    return sum + pace.remaining + windows * pace.partsPerWindow
  }, 0)
