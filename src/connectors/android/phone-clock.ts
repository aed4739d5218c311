/** So many of the last samples count: enough that one late report does not matter, few enough that a clock set right is soon believed. */
const maxSamples = 5
/** An offset up to this is the way of a request, and nothing is made of it. */
const tolerableMs = 2_000
/** A signed request this far from the phone's clock is an old one. */
const maxDriftMs = 600_000
/** Two timestamps of a clock that was set differ by the way of a request, and by the second that they count in. */
const confirmingMs = 120_000

/** What tells the clock of a phone. */
export type ClockWitness = 'hook' | 'state' | 'expiry'

/**
 * How far the clock of a phone goes before ours. Each sample is what the phone wrote less when it arrived, so that it is too small by the
 * time under way: the largest is the nearest. Timestamps of webhooks are made as they are sent. Dates of states may be hours old, so they
 * can only tell that a clock goes ahead: taken for a slow clock, late reports would end the validity of new messages before its time.
 */
export class PhoneClock {
  #hooks: number[] = []
  #states: number[] = []
  #suspect: { offsetMs: number; atMs: number } | null = null

  /**
   * `expiry`: a message expired on the phone. That is ahead of what hooks say only where the clock was set since, and is believed at once:
   * until the next hook each message would expire as it comes.
   */
  heard(from: ClockWitness, offsetMs: number): void {
    if (from === 'expiry') {
      if (this.#hooks.length > 0 && offsetMs > Math.max(...this.#hooks)) this.#hooks = [offsetMs]
    } else if (from === 'hook') this.#hooks = [...this.#hooks, offsetMs].slice(-maxSamples)
    else this.#states = [...this.#states, offsetMs].slice(-maxSamples)
  }

  /**
   * Whether a signed timestamp may be of now, `offsetMs` before our clock: near the offset that is known, or the first of all and no older
   * than the states. The clock of a phone may be set: another offset is believed when a later timestamp says it again, which no repetition
   * of an old request does.
   */
  admits(offsetMs: number, atMs: number): boolean {
    const isNear =
      this.#hooks.length > 0
        ? Math.abs(offsetMs - Math.max(...this.#hooks)) <= maxDriftMs
        : offsetMs >= Math.max(...this.#states) - maxDriftMs
    const suspect = this.#suspect
    const isConfirmed =
      suspect !== null && atMs > suspect.atMs && Math.abs(offsetMs - suspect.offsetMs) <= confirmingMs
    this.#suspect = isNear || isConfirmed ? null : { offsetMs, atMs }
    if (isConfirmed && !isNear) this.#hooks = []
    if (isNear || isConfirmed) this.heard('hook', offsetMs)
    return isNear || isConfirmed
  }

  /** 0 when it is not known, or too small to tell from the way of a request. */
  get offsetMs(): number {
    const offsetMs = this.#hooks.length > 0 ? Math.max(...this.#hooks) : Math.max(0, ...this.#states)
    return Math.abs(offsetMs) <= tolerableMs ? 0 : offsetMs
  }
}
