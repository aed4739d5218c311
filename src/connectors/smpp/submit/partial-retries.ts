import type { ConnectorTools } from '../../connector-tools.ts'
import type { Pace } from './pace.ts'
import type { PartValidity } from './part-validity.ts'

/** How long failed parts of a partly accepted message are retried: handsets keep an incomplete message no longer. */
const wholeUntilMs = 300_000
/**
 * After this many unsuccessful rounds, most of a minute, a message stays only while incomplete ones leave
 * half of the room to others.
 */
const roundsInAnyCase = 10

interface Deps {
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>
  pace: Pick<Pace, 'repeatMs'>
  /** How many messages the link may have open. */
  maxOpen(): number
}

/**
 * Partly accepted messages whose other parts wait to be submitted again. Each keeps its place in the window,
 * though nothing of it is in flight: a crash leaves everything open with unknown outcome, and that must be at
 * most a window.
 */
export class PartialRetries {
  readonly #deps: Deps
  readonly #ends = new Set<(isRetried: boolean) => void>()
  #isHurried = false
  #isOver = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** How many wait. */
  get waiting(): number {
    return this.#ends.size
  }

  /** Waits until the failed parts may be retried; resolves with false when there is no time for that. */
  pause(fruitless: number, { startMs, endMs }: PartValidity): Promise<boolean> {
    const { tools, pace } = this.#deps
    const nowMs = tools.monotonicMs()
    const isLate = nowMs >= Math.min(startMs + wholeUntilMs, endMs)
    if (this.#isOver || isLate || this.#isInTheWay(fruitless)) return Promise.resolve(false)
    // A link that stops has only time for the first wait.
    const waitMs = pace.repeatMs(this.#isHurried ? 0 : fruitless)
    return this.#wait(Math.min(waitMs, endMs - nowMs))
  }

  /** Retries what waits immediately, with minimal waits from now on. */
  hurry(): void {
    this.#isHurried = true
    this.#endAll(true)
  }

  /** Stops waiting: what is incomplete by now stays so. */
  abandon(): void {
    this.#isOver = true
    this.#endAll(false)
  }

  #isInTheWay(fruitless: number): boolean {
    return fruitless >= roundsInAnyCase && this.waiting + 1 > this.#deps.maxOpen() / 2
  }

  #wait(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isRetried: boolean): void => {
        cancel()
        this.#ends.delete(end)
        resolve(isRetried)
      }
      const cancel = this.#deps.tools.schedule(ms, () => end(true))
      this.#ends.add(end)
    })
  }

  #endAll(isRetried: boolean): void {
    for (const end of this.#ends) end(isRetried)
  }
}
