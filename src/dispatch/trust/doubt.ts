import { BoundedMap } from '../../runtime/bounded-map.ts'
import { dayMs } from '../../runtime/clock.ts'
import type { Outcome } from '../../connectors/connector.ts'

/** Faults in a row that make a device doubted, and good outcomes in a row that end it: so many are lost to a new fault, at most. */
export const maxFaults = 5
/** Or half of so many within the time. */
const among = 20
const withinMs = 600_000
/** The first pause of a device that is alone; it doubles with each trial that fails. */
const firstPauseMs = 10_000
/** The longest, where a device is left to rest until it is changed: alone, it is still tried. */
const longestPauseMs = 300_000
/** What ended within this time was cut off at once (decision 11). */
const sameCutMs = 1_000
/** A number that the device took lately is no dead one: so lately, and so many are remembered, about 100 kB for a link. */
const livesForMs = dayMs
const maxLiving = 1_000

/** Whose message it was, and to whom it went. */
export interface Addressed {
  accountId: string
  to: string
  /** Whether several accounts use the device: what one of them sends must not slow it down for the others. */
  isShared?: boolean
}

/**
 * Whether an outcome tells against its device (true), for it (false), that its connection was lost (cut), that somebody cannot be reached (unclear), or
 * nothing of that. What is the message's fault alone, or passes by itself, says nothing.
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
 * Tells a device that fails again and again from one that a message now and then fails on: at 5 faults in a row, or when half of the last 20 were
 * some within 10 minutes. While sound devices work it is tried with one message in each rest; alone it has one at a time, with a pause
 * behind each that fails. 5 good ones in a row end it. Times are monotonic.
 */
export class Doubt {
  readonly #restMs: number
  readonly #last: { atMs: number; isFault: boolean }[] = []
  #faults = 0
  #good = 0
  /** Whose messages were refused without a word of whose fault it is, since the last good outcome. */
  readonly #refusedOf = new Set<string>()
  /** Numbers refused in that way since then that the device had taken lately; five are enough. */
  readonly #refusedLiving = new Set<string>()
  /** When it last took a message to a number. */
  readonly #takenMs = new BoundedMap<number>(maxLiving)
  #cutMs = Number.NEGATIVE_INFINITY
  #doubted: { sinceMs: number; failedTrials: number; good: number } | null = null

  /** With a rest of 0 it is tried beside sound devices only when a person has changed it. */
  constructor(restMs: number) {
    this.#restMs = restMs
  }

  get isDoubted(): boolean {
    return this.#doubted !== null
  }

  /** How many faults there were since the last good outcome. */
  get faults(): number {
    return this.#faults
  }

  /** How many good outcomes there were since the last fault. */
  get good(): number {
    return this.#good
  }

  /** How long ago it failed the last time; null while it is sound. */
  doubtedForMs(nowMs: number): number | null {
    return this.#doubted === null ? null : nowMs - this.#doubted.sinceMs
  }

  /** Whether it may be given the one message by which it is tried. */
  mayTry(nowMs: number, isBeside: boolean): boolean {
    const doubted = this.#doubted
    if (doubted === null || doubted.good > 0) return true
    const longestMs = this.#restMs > 0 ? this.#restMs : isBeside ? Infinity : longestPauseMs
    const pauseMs = isBeside ? longestMs : Math.min(longestMs, firstPauseMs * 2 ** doubted.failedTrials)
    return nowMs - doubted.sinceMs >= pauseMs
  }

  /**
   * Takes the outcome of a message in; gives the change that it made, if any. What may be the recipient's fault counts once it came to two accounts
   * since the last good outcome, or, on a device of one account, to five numbers that it took lately: neither the list of dead
   * numbers nor a text that is barred of one account must slow down what others send.
   */
  heard(outcome: Outcome, nowMs: number, message?: Addressed): 'began' | 'failed' | 'ended' | null {
    const fault = isFault(outcome)
    if (fault === null) return null
    if (fault === false) return this.#worked(nowMs, message)
    if (fault === 'unclear' && !this.#tells(nowMs, message)) return null
    if (fault === 'cut') {
      if (nowMs - this.#cutMs < sameCutMs) return null
      this.#cutMs = nowMs
    } else this.#note(true, nowMs)
    this.#faults += 1
    this.#good = 0
    return this.#doubted === null ? this.#begin(nowMs) : this.#fail(nowMs)
  }

  /** Somebody saw to it. */
  reset(): void {
    this.#doubted = null
    this.#faults = 0
    this.#last.length = 0
    this.#refusedOf.clear()
    this.#refusedLiving.clear()
  }

  /** Whether a refusal that may be its recipient's fault tells of the device. Of numbers that live it counts as five in a row when the fifth is refused. */
  #tells(nowMs: number, { accountId, to, isShared = false }: Addressed = { accountId: '', to: '' }): boolean {
    const takenMs = isShared ? undefined : this.#takenMs.get(to)
    const lives = takenMs !== undefined && nowMs - takenMs < livesForMs
    if (lives && this.#refusedLiving.size < maxFaults) this.#refusedLiving.add(to)
    const ofLiving = this.#refusedLiving.size === maxFaults
    if (ofLiving) this.#faults = Math.max(this.#faults, maxFaults - 1)
    return this.#refusedOf.add(accountId).size > 1 || ofLiving
  }

  #worked(nowMs: number, message: Addressed | undefined): 'ended' | null {
    if (message !== undefined) this.#takenMs.set(message.to, nowMs)
    this.#faults = 0
    this.#good += 1
    this.#refusedOf.clear()
    this.#refusedLiving.clear()
    this.#note(false, nowMs)
    if (this.#doubted === null) return null
    this.#doubted.good += 1
    if (this.#doubted.good < maxFaults) return null
    this.reset()
    return 'ended'
  }

  #begin(nowMs: number): 'began' | null {
    if (this.#faults < maxFaults && !this.#isHalf()) return null
    this.#doubted = { sinceMs: nowMs, failedTrials: 0, good: 0 }
    return 'began'
  }

  /** What it was given before the doubt began says nothing new. */
  #fail(nowMs: number): 'failed' | null {
    const doubted = this.#doubted
    if (doubted === null || !this.mayTry(nowMs, false)) return null
    this.#doubted = { sinceMs: nowMs, failedTrials: doubted.failedTrials + 1, good: 0 }
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
