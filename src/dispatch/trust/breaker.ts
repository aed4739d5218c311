import type { Outcome } from '../../connectors/connector.ts'

/** `trial` is half open: it rested long enough, and gets one message at a time. */
export type BreakerState = 'closed' | 'open' | 'trial'

/** Consecutive unknown outcomes that open the breaker of a link, and known ones in half-open state that close it. */
const inARow = 20
/** Share of unknown outcomes that opens the breaker, once there are enough. */
const maxUnknown = 0.01
const enough = 200
/** Outcomes within this time were cut off together: they count as one, however many were in flight. */
const sameCutMs = 1_000
/** The time for the share, in slices that expire one by one. */
const windowMs = 600_000
const slices = 10
const sliceMs = windowMs / slices

/**
 * Returns whether the outcome shows that the peer responds (true), does not (false), was lost (cut), or none
 * of that.
 */
function isKnown(outcome: Outcome): boolean | 'cut' | null {
  if (outcome.kind === 'unknown') return outcome.connectionLost === true ? 'cut' : false
  if (outcome.kind === 'unavailable' || (outcome.kind === 'refused' && outcome.lasts === 'expired'))
    return null
  return true
}

/**
 * Stops the use of a link on which too many submissions end without a response: each of them may have arrived
 * or not, and only a person can find out. It opens at 20 in a row, or at more than 1% of 200 or more in 10
 * minutes. After a rest it is half open, with one message at a time; 20 known outcomes close it, an unknown
 * one opens it again. A lost connection says little about the peer, however much was in flight: it counts
 * once, and only in the run, so that a peer that accepts messages and disconnects is detected. Times are
 * monotonic.
 */
export class Breaker {
  readonly #restMs: number
  #openedMs: number | null = null
  /** Consecutive unknown outcomes while closed, known ones while half open. */
  #run = 0
  #cutMs = Number.NEGATIVE_INFINITY
  readonly #counts: { slice: number; all: number; unknown: number }[] = []

  /** With a rest of 0 it stays open until the device is changed. */
  constructor(restMs: number) {
    this.#restMs = restMs
  }

  stateAt(nowMs: number): BreakerState {
    if (this.#openedMs === null) return 'closed'
    return this.#restMs > 0 && nowMs - this.#openedMs >= this.#restMs ? 'trial' : 'open'
  }

  /** How long ago it last opened; null while it is closed. */
  openedForMs(nowMs: number): number | null {
    return this.#openedMs === null ? null : nowMs - this.#openedMs
  }

  /** Records an outcome; returns the change that it caused, if any. */
  record(outcome: Outcome, nowMs: number): 'opened' | 'closed' | null {
    const known = isKnown(outcome)
    const state = this.stateAt(nowMs)
    // What was submitted before it opened is no new evidence.
    if (known === null || state === 'open') return null
    if (known === 'cut') return this.#cut(state, nowMs)
    return state === 'trial' ? this.#recordProbe(known, nowMs) : this.#recordClosed(known, nowMs)
  }

  #cut(state: 'closed' | 'trial', nowMs: number): 'opened' | null {
    if (state === 'trial') return this.#open(nowMs)
    if (nowMs - this.#cutMs < sameCutMs) return null
    this.#cutMs = nowMs
    this.#run += 1
    return this.#run >= inARow ? this.#open(nowMs) : null
  }

  /** Closes the breaker after the device was changed. */
  reset(): void {
    this.#openedMs = null
    this.#run = 0
    this.#counts.length = 0
  }

  #recordProbe(known: boolean, nowMs: number): 'opened' | 'closed' | null {
    if (!known) return this.#open(nowMs)
    this.#run += 1
    if (this.#run < inARow) return null
    this.reset()
    return 'closed'
  }

  #recordClosed(known: boolean, nowMs: number): 'opened' | null {
    this.#run = known ? 0 : this.#run + 1
    const slice = Math.floor(nowMs / sliceMs)
    while (this.#counts[0] !== undefined && this.#counts[0].slice <= slice - slices) this.#counts.shift()
    let last = this.#counts.at(-1)
    if (last?.slice !== slice) this.#counts.push((last = { slice, all: 0, unknown: 0 }))
    last.all += 1
    if (!known) last.unknown += 1
    return this.#run >= inARow || this.#isTooMany() ? this.#open(nowMs) : null
  }

  #isTooMany(): boolean {
    const sum = (of: 'all' | 'unknown') => this.#counts.reduce((total, count) => total + count[of], 0)
    const all = sum('all')
    return all >= enough && sum('unknown') > all * maxUnknown
  }

  #open(nowMs: number): 'opened' {
    this.reset()
    this.#openedMs = nowMs
    return 'opened'
  }
}
