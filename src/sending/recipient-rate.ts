import type { Clock } from '../runtime/clock.ts'
import type { SharedCounts } from '../runtime/shared-counts.ts'
import type { Mode } from '../storage/tables/schema.ts'

export const codesWindowMs = 10 * 60_000
/** Name of these counts between nodes. */
const kind = 'codes'

/**
 * Counts the authentication messages to one number in the last 10 minutes, by account and mode: stops
 * flooding a number with codes. In memory and exchanged between nodes periodically: approximate by design
 * (P12), exact on one node. Bounded: with too many numbers, the one that was sent to longest ago is evicted.
 */
export class RecipientRate {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #most: number
  readonly #maxNumbers: number
  readonly #counted: (name: string, by: number) => void
  /** Times by number; the most recent number is last. */
  readonly #sent = new Map<string, number[]>()

  constructor(
    deps: { clock: Pick<Clock, 'monotonicMs'>; counts?: SharedCounts | undefined },
    most: number,
    maxNumbers = 100_000,
  ) {
    this.#clock = deps.clock
    const { counts } = deps
    this.#counted = (name, by) => counts?.count(kind, name, by)
    counts?.listen(kind, (name, count) => this.#countRemote(name, count))
    this.#most = most
    this.#maxNumbers = maxNumbers
  }

  /**
   * Returns which of the numbers have reached the limit, by index, and when the last of them is available
   * again.
   */
  findExhausted(
    accountId: string,
    mode: Mode,
    numbers: readonly string[],
  ): { indexes: number[]; retryAfterSeconds: number } {
    if (this.#most === 0) return { indexes: [], retryAfterSeconds: 0 }
    const nowMs = this.#clock.monotonicMs()
    let latestMs = nowMs
    const indexes = numbers.flatMap((number, index) => {
      const times = this.#recent(nameOf(accountId, mode, number), nowMs)
      if (times.length < this.#most) return []
      latestMs = Math.max(latestMs, (times[times.length - this.#most] as number) + codesWindowMs)
      return [index]
    })
    return { indexes, retryAfterSeconds: Math.ceil((latestMs - nowMs) / 1000) }
  }

  /** Counts one message to each number; returns the function that undoes the count when nothing was sent. */
  count(accountId: string, mode: Mode, numbers: readonly string[]): () => void {
    if (this.#most === 0) return () => undefined
    const nowMs = this.#clock.monotonicMs()
    const names = numbers.map((number) => nameOf(accountId, mode, number))
    for (const name of names) {
      this.#write(name, [...this.#recent(name, nowMs), nowMs])
      this.#counted(name, 1)
    }
    return () => {
      for (const name of names) {
        this.#removeOne(name, nowMs)
        this.#counted(name, -1)
      }
    }
  }

  /** Applies the count of another node, or its undo. Counts above the limit need not be exact. */
  #countRemote(name: string, count: number): void {
    const nowMs = this.#clock.monotonicMs()
    const times = this.#recent(name, nowMs)
    const kept = count < 0 ? times.slice(0, count) : times
    const more = Array.from({ length: Math.max(0, Math.min(count, this.#most)) }, () => nowMs)
    if (kept.length + more.length === 0) this.#sent.delete(name)
    else this.#write(name, [...kept, ...more])
  }

  #recent(name: string, nowMs: number): number[] {
    return (this.#sent.get(name) ?? []).filter((atMs) => atMs > nowMs - codesWindowMs)
  }

  #write(name: string, times: number[]): void {
    this.#sent.delete(name)
    if (this.#sent.size >= this.#maxNumbers) {
      for (const oldest of this.#sent.keys()) {
        this.#sent.delete(oldest)
        break
      }
    }
    this.#sent.set(name, times)
  }

  #removeOne(name: string, atMs: number): void {
    const times = this.#sent.get(name) ?? []
    const index = times.lastIndexOf(atMs)
    if (index === -1) return
    times.splice(index, 1)
    if (times.length === 0) this.#sent.delete(name)
  }
}

const nameOf = (accountId: string, mode: Mode, number: string): string => `${accountId}:${mode}:${number}`
