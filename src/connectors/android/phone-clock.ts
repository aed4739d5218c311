/**
 * How many of the last samples count: enough that one late report does not matter, few enough that a
 * corrected clock is soon used.
 */
const maxSamples = 5
/** An offset up to this is latency and is ignored. */
const tolerableMs = 2_000
/** A signed request this far from the phone's clock is an old one. */
const maxDriftMs = 600_000
/** Two timestamps of a clock that was set differ by the latency, and by their resolution of 1 s. */
const confirmingMs = 120_000

/** The sources of a phone's time. */
export type ClockWitness = 'hook' | 'state' | 'expiry'

/**
 * How far the clock of a phone is ahead of ours. Each sample is the phone's time minus the time of arrival,
 * so it is too small by the latency: the largest is the most accurate. Timestamps of webhooks are created
 * when they are sent. Dates of states may be hours old, so they only show that a clock is ahead: interpreted
 * as a slow clock, late reports would end the validity of new messages too early.
 */
export class PhoneClock {
  #hooks: number[] = []
  #states: number[] = []
  #suspect: { offsetMs: number; atMs: number } | null = null

  /**
   * `expiry`: a message expired on the phone. That is ahead of the hooks only if the clock was set since, and
   * is used immediately: until the next hook each message would expire on arrival.
   */
  record(from: ClockWitness, offsetMs: number): void {
    if (from === 'expiry') {
      if (this.#hooks.length > 0 && offsetMs > Math.max(...this.#hooks)) this.#hooks = [offsetMs]
    } else if (from === 'hook') this.#hooks = [...this.#hooks, offsetMs].slice(-maxSamples)
    else this.#states = [...this.#states, offsetMs].slice(-maxSamples)
  }

  /**
   * Returns whether a signed timestamp, `offsetMs` before our clock, may be current: near the known offset,
   * or the first one of all and not older than the states. The clock of a phone may be set: another offset is
   * accepted once a later timestamp confirms it, which no replay of an old request does.
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
    if (isNear || isConfirmed) this.record('hook', offsetMs)
    return isNear || isConfirmed
  }

  /** 0 when unknown, or too small to distinguish from latency. */
  get offsetMs(): number {
    const offsetMs = this.#hooks.length > 0 ? Math.max(...this.#hooks) : Math.max(0, ...this.#states)
    return Math.abs(offsetMs) <= tolerableMs ? 0 : offsetMs
  }
}
