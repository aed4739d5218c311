import type { DeadlineTimer } from './deadline-timer.ts'
import type { SessionLimits } from './session-limits.ts'

interface Deps {
  alarm: Pick<DeadlineTimer, 'by'>
  limits: SessionLimits
  /** When octets of the peer came last. */
  heardMs(): number
  /** Asks the peer whether it lives, and tells whether it said so in time. */
  ask(answered: (isAlive: boolean) => void): void
  /** The peer did not answer. */
  dead(): void
  /** Nothing was asked or delivered for the time of inactivity. */
  idle(): void
}

/**
 * Asks a silent peer whether it lives, and only a silent one: what it sends says so as well. A missing answer ends the session, also
 * when TCP sees nothing wrong. (SMPP 3.4, section 7.2.)
 */
export class KeepAlive {
  readonly #deps: Deps
  #isAsking = false
  #usedMs: number | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A request went out or a message came, or the session was bound. */
  used(nowMs: number): void {
    this.#usedMs = nowMs
  }

  /** Does what is due and gives the next deadline. Not called while nothing is heard. */
  check(nowMs: number): number {
    if (this.#usedMs === null) return Number.POSITIVE_INFINITY
    const { enquireLinkMs, inactivityMs } = this.#deps.limits
    const idleAtMs = inactivityMs === 0 ? Number.POSITIVE_INFINITY : this.#usedMs + inactivityMs
    if (nowMs >= idleAtMs) {
      this.#deps.idle()
      return Number.POSITIVE_INFINITY
    }
    // The request for an answer has a time of its own.
    if (this.#isAsking) return idleAtMs
    const silentAtMs = this.#deps.heardMs() + enquireLinkMs
    if (nowMs < silentAtMs) return Math.min(idleAtMs, silentAtMs)
    this.askNow()
    return idleAtMs
  }

  /** Asks, however lately the peer was heard, unless it is asked already. */
  askNow(): void {
    if (this.#isAsking) return
    this.#isAsking = true
    this.#deps.ask((isAlive) => this.#answered(isAlive))
  }

  #answered(isAlive: boolean): void {
    this.#isAsking = false
    if (!isAlive) return this.#deps.dead()
    // What rang last was the time that the answer might have taken.
    this.#deps.alarm.by(this.#deps.heardMs() + this.#deps.limits.enquireLinkMs)
  }
}
