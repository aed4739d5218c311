import { type Clock, hourMs } from '../runtime/clock.ts'
import type { SharedCounts } from '../runtime/shared-counts.ts'

export const windowMs = hourMs
/** Name of these counts between nodes. */
const kind = 'velocity'

interface Count {
  /** Begin of the present hour. */
  fromMs: number
  now: number
  before: number
}

/**
 * Estimates the count of a name in the last hour from two counts: that of the present hour, and the share of
 * the previous one that is less than an hour ago. In memory and exchanged between nodes periodically,
 * approximate by design (P12). Bounded: with too many names, the one that was counted longest ago is evicted.
 */
export class Velocity {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #publish: (name: string, by: number) => void
  readonly #maxNames: number
  readonly #counts = new Map<string, Count>()

  constructor(
    deps: { clock: Pick<Clock, 'monotonicMs'>; counts?: SharedCounts | undefined },
    maxNames = 100_000,
  ) {
    this.#clock = deps.clock
    this.#maxNames = maxNames
    this.#publish = (name, by) => deps.counts?.count(kind, name, by)
    deps.counts?.listen(kind, (name, by) => this.#add(name, by))
  }

  /** Returns after how many seconds one more is within the limit; 0 for now. */
  waitSeconds(name: string, most: number): number {
    const count = this.#current(name)
    if (count === null) return 0
    const passedMs = this.#clock.monotonicMs() - count.fromMs
    const share = 1 - passedMs / windowMs
    if (count.now + count.before * share + 1 <= most) return 0
    // The previous hour fades until this one fits; otherwise the present hour has to fade itself.
    const fadesMs =
      count.before > 0 && count.now + 1 <= most
        ? windowMs * (1 - (most - count.now - 1) / count.before) - passedMs
        : windowMs - passedMs
    return Math.max(1, Math.ceil(fadesMs / 1000))
  }

  /** Counts one, or undoes one. */
  add(name: string, by: 1 | -1): void {
    this.#add(name, by)
    this.#publish(name, by)
  }

  #add(name: string, by: number): void {
    const count = this.#current(name) ?? { fromMs: this.#clock.monotonicMs(), now: 0, before: 0 }
    this.#counts.delete(name)
    if (this.#counts.size >= this.#maxNames) {
      for (const oldest of this.#counts.keys()) {
        this.#counts.delete(oldest)
        break
      }
    }
    this.#counts.set(name, { ...count, now: Math.max(0, count.now + by) })
  }

  #current(name: string): Count | null {
    const count = this.#counts.get(name)
    if (count === undefined) return null
    const hours = Math.floor((this.#clock.monotonicMs() - count.fromMs) / windowMs)
    if (hours === 0) return count
    if (hours > 1) return null
    return { fromMs: count.fromMs + windowMs, now: 0, before: count.now }
  }
}
