import type { ConnectorTools } from '../connector-tools.ts'

export interface WakerDeps {
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>
  settings: () => { wakeIntervalMs: number; wakeAnswerMs: number }
  /** Tells the phone to fetch; false when there is no stream to tell it by. */
  send: () => boolean
  /** It was told and did not fetch; gives whether to tell it again. */
  unanswered: () => boolean
}

/**
 * Tells a phone to fetch: at once, then no oftener than the interval while there is something that no fetch has taken since, or half of it
 * once it has followed the last. Each event makes the app break off the fetch that it is at, so that a fast stream of them would starve it.
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

  /** It fetches: what has been there until now is taken. Gives whether it was told to. */
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
    // A phone fetches by itself when it opens a stream: nothing is owed to one that has none.
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
