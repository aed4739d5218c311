import type { ConnectorTools } from '../connector-tools.ts'

export interface WakerDeps {
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>
  settings: () => { wakeIntervalMs: number; wakeAnswerMs: number }
  /** Sends a fetch event to the phone. Returns false without an open stream. */
  send: () => boolean
  /** Called when it did not follow the event; returns whether to send another. */
  unanswered: () => boolean
}

/**
 * Sends fetch events to a phone: immediately, then at most once per interval while messages were queued since
 * its last fetch, or per half interval once it has followed the last event. Each event makes the app abort
 * its current fetch, so a fast series would starve it.
 */
export class Waker {
  readonly #deps: WakerDeps
  #isWanted = false
  #sentMs = Number.NEGATIVE_INFINITY
  #wasFollowed = false
  #cancelTimer: (() => void) | null = null
  #cancelAnswer: (() => void) | null = null

  constructor(deps: WakerDeps) {
    this.#deps = deps
  }

  wake(): void {
    this.#isWanted = true
    if (this.#cancelTimer !== null) return
    const { tools, settings } = this.#deps
    const intervalMs = settings().wakeIntervalMs / (this.#wasFollowed ? 2 : 1)
    const waitMs = this.#sentMs + intervalMs - tools.monotonicMs()
    if (waitMs <= 0) return this.#fire()
    this.#cancelTimer = tools.schedule(waitMs, () => {
      this.#cancelTimer = null
      if (this.#isWanted) this.#fire()
    })
  }

  /** Records a fetch, which takes all that was queued until now. Returns whether an event was pending. */
  answered(): boolean {
    const wasAsked = this.#cancelAnswer !== null
    this.#isWanted = false
    this.#wasFollowed ||= wasAsked
    this.#cancelAnswer?.()
    this.#cancelAnswer = null
    return wasAsked
  }

  stop(): void {
    this.answered()
    this.#cancelTimer?.()
    this.#cancelTimer = null
  }

  #fire(): void {
    const { tools, settings, send, unanswered } = this.#deps
    // A phone fetches by itself when it opens a stream: one without a stream needs no event.
    this.#isWanted = false
    if (!send()) return
    this.#sentMs = tools.monotonicMs()
    this.#wasFollowed = false
    this.#cancelAnswer ??= tools.schedule(settings().wakeAnswerMs, () => {
      this.#cancelAnswer = null
      if (unanswered()) this.wake()
    })
  }
}
