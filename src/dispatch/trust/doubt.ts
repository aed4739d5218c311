import { BoundedMap } from '../../runtime/bounded-map.ts'
import { dayMs } from '../../runtime/clock.ts'
import type { Outcome } from '../../connectors/connector.ts'

/**
 * Consecutive faults that make a device distrusted, and successes that end it: at most this many are lost to
 * a new fault.
 */
export const maxFaults = 5
/** Or half of this many within the time. */
const among = 20
const withinMs = 600_000
/** First pause of a device without an alternative; it doubles with each failed probe. */
const firstPauseMs = 10_000
/** Maximum pause where a device rests until it is changed: without an alternative, it is still probed. */
const maxPauseMs = 300_000
/** Outcomes within this time were cut off together (decision 11). */
const sameCutMs = 1_000
/**
 * A number that the device accepted recently is in service: how recently, and how many are remembered, about
 * 100 kB per link.
 */
const inServiceMs = dayMs
const maxAccepted = 1_000

/** Account and recipient of a message. */
export interface Addressed {
  accountId: string
  to: string
  /** Whether several accounts use the device: messages of one must not slow it down for the others. */
  isShared?: boolean
}

/**
 * Returns whether an outcome counts against its device (true), for it (false), as a lost connection (cut), as
 * an unreachable recipient perhaps (unclear), or for nothing. A fault of only the message, or one that passes
 * by itself, is no evidence.
 */
function isFault(outcome: Outcome): boolean | 'cut' | 'unclear' | null {
  switch (outcome.kind) {
    case 'accepted':
      return false
    case 'unknown':
      return outcome.connectionLost === true ? 'cut' : true
    case 'refused':
      if (outcome.recipientAlone === true) return null
      if (outcome.mayBeRecipient === true) return 'unclear'
      return outcome.lasts === 'now' || outcome.deviceAlone === true ? true : null
    case 'partial':
    case 'unavailable':
      return null
  }
}

/**
 * Detects a device that fails repeatedly, as opposed to one on which a message fails now and then: at 5
 * faults in a row, or when half of the last 20 within 10 minutes were faults. While healthy devices work it
 * is probed with one message per rest; without an alternative it gets one at a time, with a pause after each
 * that fails. 5 successes in a row end it. Times are monotonic.
 */
export class FaultDetector {
  readonly #restMs: number
  readonly #last: { atMs: number; isFault: boolean }[] = []
  #faults = 0
  #good = 0
  /** Accounts whose messages were refused without a known culprit, since the last success. */
  readonly #refusedOf = new Set<string>()
  /** Numbers refused in that way since then that the device had accepted recently; five are enough. */
  readonly #refusedInService = new Set<string>()
  /** When it last accepted a message to a number. */
  readonly #acceptedMs = new BoundedMap<number>(maxAccepted)
  #cutMs = Number.NEGATIVE_INFINITY
  #doubted: { sinceMs: number; failedProbes: number; good: number } | null = null

  /** With a rest of 0 it is probed next to healthy devices only after it was changed. */
  constructor(restMs: number) {
    this.#restMs = restMs
  }

  get isDoubted(): boolean {
    return this.#doubted !== null
  }

  /** How many faults there were since the last success. */
  get faults(): number {
    return this.#faults
  }

  /** How many successes there were since the last fault. */
  get good(): number {
    return this.#good
  }

  /** How long ago it last failed; null while it is trusted. */
  doubtedForMs(nowMs: number): number | null {
    return this.#doubted === null ? null : nowMs - this.#doubted.sinceMs
  }

  /** Whether it may be given the one message by which it is probed. */
  mayProbe(nowMs: number, hasOthers: boolean): boolean {
    const doubted = this.#doubted
    if (doubted === null || doubted.good > 0) return true
    const maxMs = this.#restMs > 0 ? this.#restMs : hasOthers ? Infinity : maxPauseMs
    const pauseMs = hasOthers ? maxMs : Math.min(maxMs, firstPauseMs * 2 ** doubted.failedProbes)
    return nowMs - doubted.sinceMs >= pauseMs
  }

  /**
   * Records the outcome of a message; returns the change that it caused, if any. A refusal that may be the
   * recipient's fault counts once two accounts got one since the last success or, on a device of one account,
   * five numbers that it accepted recently: neither a list of dead numbers nor a text that is barred for one
   * account may slow down what others send.
   */
  record(outcome: Outcome, nowMs: number, message?: Addressed): 'began' | 'failed' | 'ended' | null {
    const fault = isFault(outcome)
    if (fault === null) return null
    if (fault === false) return this.#succeeded(nowMs, message)
    if (fault === 'unclear' && !this.#isEvidence(nowMs, message)) return null
    if (fault === 'cut') {
      if (nowMs - this.#cutMs < sameCutMs) return null
      this.#cutMs = nowMs
    } else this.#note(true, nowMs)
    this.#faults += 1
    this.#good = 0
    return this.#doubted === null ? this.#begin(nowMs) : this.#fail(nowMs)
  }

  /** Restores the trust after the device was changed. */
  reset(): void {
    this.#doubted = null
    this.#faults = 0
    this.#last.length = 0
    this.#refusedOf.clear()
    this.#refusedInService.clear()
  }

  /**
   * Whether a refusal that may be its recipient's fault is evidence against the device. For numbers in
   * service the fifth refusal counts as five in a row.
   */
  #isEvidence(
    nowMs: number,
    { accountId, to, isShared = false }: Addressed = { accountId: '', to: '' },
  ): boolean {
    const acceptedMs = isShared ? undefined : this.#acceptedMs.get(to)
    const isInService = acceptedMs !== undefined && nowMs - acceptedMs < inServiceMs
    if (isInService && this.#refusedInService.size < maxFaults) this.#refusedInService.add(to)
    const isOfInService = this.#refusedInService.size === maxFaults
    if (isOfInService) this.#faults = Math.max(this.#faults, maxFaults - 1)
    return this.#refusedOf.add(accountId).size > 1 || isOfInService
  }

  #succeeded(nowMs: number, message: Addressed | undefined): 'ended' | null {
    if (message !== undefined) this.#acceptedMs.set(message.to, nowMs)
    this.#faults = 0
    this.#good += 1
    this.#refusedOf.clear()
    this.#refusedInService.clear()
    this.#note(false, nowMs)
    if (this.#doubted === null) return null
    this.#doubted.good += 1
    if (this.#doubted.good < maxFaults) return null
    this.reset()
    return 'ended'
  }

  #begin(nowMs: number): 'began' | null {
    if (this.#faults < maxFaults && !this.#isHalf()) return null
    this.#doubted = { sinceMs: nowMs, failedProbes: 0, good: 0 }
    return 'began'
  }

  /** What it was given before it was distrusted is no new evidence. */
  #fail(nowMs: number): 'failed' | null {
    const doubted = this.#doubted
    if (doubted === null || !this.mayProbe(nowMs, false)) return null
    this.#doubted = { sinceMs: nowMs, failedProbes: doubted.failedProbes + 1, good: 0 }
    return 'failed'
  }

  #note(isFaulty: boolean, nowMs: number): void {
    this.#last.push({ atMs: nowMs, isFault: isFaulty })
    while (this.#last.length > among || nowMs - (this.#last[0]?.atMs ?? nowMs) >= withinMs) this.#last.shift()
  }

  #isHalf(): boolean {
    return this.#last.length === among && this.#last.filter((each) => each.isFault).length * 2 >= among
  }
}
