import type { Outcome } from '../../connectors/connector.ts'

/** `trial`: it rested long enough, and is given one message at a time. */
export type BreakerState = 'closed' | 'open' | 'trial'

/** Unknown outcomes one after another that open a link, and known ones on trial that close it again. */
const inARow = 20
/** The share of unknown outcomes that opens a link, once there are enough to tell. */
const maxUnknown = 0.01
const enough = 200
/** What ended within this time was cut off at once: one cut, however much was open. */
const sameCutMs = 1_000
/** Over this time, in slices that are forgotten one by one. */
const windowMs = 600_000
const slices = 10
const sliceMs = windowMs / slices

/** Whether the outcome says that the peer answers (true), that it does not (false), that it was lost (cut), or nothing of that. */
function isKnown(outcome: Outcome): boolean | 'cut' | null {
  if (outcome.kind === 'unknown') return outcome.connectionLost === true ? 'cut' : false
  if (outcome.kind === 'unavailable' || (outcome.kind === 'refused' && outcome.lasts === 'expired'))
    return null
  return true
}

/**
 * Stops the use of a link on which too many hand-overs end without an answer: each of them may have arrived, or not, and only a person
 * can find out. It opens at 20 in a row, or at more than 1 % of 200 or more in 10 minutes. After a rest one message at a time is tried;
 * 20 known outcomes close it, an unknown one opens it again. A lost connection says little of the peer, however much was open on it: it counts
 * once, and only in the run, so that a peer that takes messages and hangs up is found out. Times are monotonic.
 */
export class Breaker {
  readonly #restMs: number
  #openedMs: number | null = null
  /** The run of unknown outcomes while closed, of known ones on trial. */
  #run = 0
  #cutMs = Number.NEGATIVE_INFINITY
  readonly #counts: { slice: number; all: number; unknown: number }[] = []

  /** With a rest of 0 it stays open until a person changes the device. */
  constructor(restMs: number) {
    this.#restMs = restMs
  }

  stateAt(nowMs: number): BreakerState {
    if (this.#openedMs === null) return 'closed'
    return this.#restMs > 0 && nowMs - this.#openedMs >= this.#restMs ? 'trial' : 'open'
  }

  /** How long ago it was opened the last time; null while it is closed. */
  openedForMs(nowMs: number): number | null {
    return this.#openedMs === null ? null : nowMs - this.#openedMs
  }

  /** Takes an outcome in; gives the change that it made, if any. */
  heard(outcome: Outcome, nowMs: number): 'opened' | 'closed' | null {
    const known = isKnown(outcome)
    const state = this.stateAt(nowMs)
    // What was handed over before it opened says nothing new.
    if (known === null || state === 'open') return null
    if (known === 'cut') return this.#cut(state, nowMs)
    return state === 'trial' ? this.#tried(known, nowMs) : this.#counted(known, nowMs)
  }

  #cut(state: 'closed' | 'trial', nowMs: number): 'opened' | null {
    if (state === 'trial') return this.#open(nowMs)
    if (nowMs - this.#cutMs < sameCutMs) return null
    this.#cutMs = nowMs
    this.#run += 1
    return this.#run >= inARow ? this.#open(nowMs) : null
  }

  /** Somebody saw to it. */
  reset(): void {
    this.#openedMs = null
    this.#run = 0
    this.#counts.length = 0
  }

  #tried(known: boolean, nowMs: number): 'opened' | 'closed' | null {
    if (!known) return this.#open(nowMs)
    this.#run += 1
    if (this.#run < inARow) return null
    this.reset()
    return 'closed'
  }

  #counted(known: boolean, nowMs: number): 'opened' | null {
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
