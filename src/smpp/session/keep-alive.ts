import type { DeadlineTimer } from './deadline-timer.ts'
import type { SessionLimits } from './session-limits.ts'

interface Deps {
  alarm: Pick<DeadlineTimer, 'by'>
  limits: SessionLimits
  /** When octets of the peer last arrived. */
  receivedMs(): number
  /** Sends an enquire_link, and reports whether the peer responded in time. */
  ask(answered: (isAlive: boolean) => void): void
  /** The peer did not respond. */
  dead(): void
  /** Nothing was requested or delivered for the time of inactivity. */
  idle(): void
}

/**
 * Sends enquire_link to a silent peer, and only to a silent one: anything that it sends shows that it is
 * alive. A missing response ends the session, even if TCP detects nothing. (SMPP 3.4, section 7.2.)
 */
export class KeepAlive {
  readonly #deps: Deps
  #isAsking = false
  #usedMs: number | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A request was sent or a message arrived, or the session was bound. */
  used(nowMs: number): void {
    this.#usedMs = nowMs
  }

  /** Does what is due and returns the next deadline. Not called while reading is paused. */
  check(nowMs: number): number {
    if (this.#usedMs === null) return Number.POSITIVE_INFINITY
    const { enquireLinkMs, inactivityMs } = this.#deps.limits
    const idleAtMs = inactivityMs === 0 ? Number.POSITIVE_INFINITY : this.#usedMs + inactivityMs
    if (nowMs >= idleAtMs) {
      this.#deps.idle()
      return Number.POSITIVE_INFINITY
    }
    // The enquire_link has its own timeout.
    if (this.#isAsking) return idleAtMs
    const silentAtMs = this.#deps.receivedMs() + enquireLinkMs
    if (nowMs < silentAtMs) return Math.min(idleAtMs, silentAtMs)
    this.askNow()
    return idleAtMs
  }

  /** Sends an enquire_link, regardless of the last data, unless one is open. */
  askNow(): void {
    if (this.#isAsking) return
    this.#isAsking = true
    this.#deps.ask((isAlive) => this.#answered(isAlive))
  }

  #answered(isAlive: boolean): void {
    this.#isAsking = false
    if (!isAlive) return this.#deps.dead()
    // The last call was for the timeout of the response.
    this.#deps.alarm.by(this.#deps.receivedMs() + this.#deps.limits.enquireLinkMs)
  }
}
