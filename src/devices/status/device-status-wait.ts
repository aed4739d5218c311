/** A pace as it stands: what is left of this window, and when the next one begins (null: with the next part). */
export interface StandingPace {
  partsPerWindow: number
  windowSeconds: number
  remaining: number
  resetsAt: number | null
  /** The device is not woken: it may take this long to ask for messages. Omitted: immediately. */
  pickUpSeconds?: number
}

/**
 * How long the SMSGate app may take to ask for messages where nothing wakes it: without an event stream it has its PullMessagesWorker alone, at
 * the shortest interval of Android's WorkManager (PeriodicWorkRequest.MIN_PERIODIC_INTERVAL_MILLIS).
 */
const pollSeconds = 900

/** The longest time until a device asks for a message, by how it is connected. */
export const pickUpSecondsOf = (link: string): number =>
  link === 'poll' || link === 'push' ? pollSeconds : 0

type PaceOfDevice = StandingPace & { bySim?: readonly Omit<StandingPace, 'windowSeconds'>[] }

/** The paces of a device: one, or one for each of its SIMs; what it takes to ask for messages is that of all. */
export const standingPaces = ({ windowSeconds, bySim, ...all }: PaceOfDevice, link: string): StandingPace[] =>
  (bySim ?? [all]).map(({ partsPerWindow, remaining, resetsAt }) => ({
    partsPerWindow,
    windowSeconds,
    remaining,
    resetsAt,
    ...(pickUpSecondsOf(link) > 0 && { pickUpSeconds: pickUpSecondsOf(link) }),
  }))

/** No estimate beyond this: messages expire before (validity at most 72 h). */
const longestSeconds = 259_200

/**
 * Seconds until everything that waits can have gone at the pace of these devices: 0 when it fits into what is left of the windows of those
 * that are woken. Null
 * when nobody can say: no device works, one has no pace to reckon with (null), or it would take more than three days.
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

/** Parts that the devices may send within so many seconds from now. */
const capacityWithin = (paces: readonly StandingPace[], seconds: number, nowMs: number): number =>
  paces.reduce((sum, pace) => {
    if (seconds < (pace.pickUpSeconds ?? 0)) return sum
    const resetsInMs = pace.resetsAt === null ? pace.windowSeconds * 1000 : Math.max(0, pace.resetsAt - nowMs)
    const sinceResetMs = seconds * 1000 - resetsInMs
    const windows = sinceResetMs < 0 ? 0 : 1 + Math.floor(sinceResetMs / (pace.windowSeconds * 1000))
    return sum + pace.remaining + windows * pace.partsPerWindow
  }, 0)
