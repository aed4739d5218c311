import type { Clock } from '../runtime/clock.ts'
import type { SharedCounts } from '../runtime/shared-counts.ts'
import type { Mode } from '../storage/tables/schema.ts'

export const codesWindowMs = 10 * 60_000
/** What nodes call its counts among themselves. */
const kind = 'codes'

/**
 * How many authentication messages one number was sent in the last 10 minutes, by account and mode: stops the bombing of a number with
 * codes. In memory, and told between nodes now and then: approximate by design (P12), exact on one node. Bounded: of too many numbers the one that
 * was written to longest ago is forgotten.
 */
export class RecipientRate {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #most: number
  readonly #maxNumbers: number
  readonly #counted: (name: string, by: number) => void
  /** Times by number, the number written to last at the end. */
  readonly #sent = new Map<string, number[]>()

  constructor(
    deps: { clock: Pick<Clock, 'monotonicMs'>; counts?: SharedCounts | undefined },
    most: number,
    maxNumbers = 100_000,
  ) {
    this.#clock = deps.clock
    const { counts } = deps
    this.#counted = (name, by) => counts?.count(kind, name, by)
    counts?.listen(kind, (name, count) => this.#hear(name, count))
    this.#most = most
    this.#maxNumbers = maxNumbers
  }

  /** Which of the numbers have had their share, by index, and when the last of these may be written to again. */
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

  /** Counts one message to each number; gives back what takes the count away again when nothing was sent after all. */
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
        this.#forgetOne(name, nowMs)
        this.#counted(name, -1)
      }
    }
  }

  /** Another node has written to a number, or not after all. More than any limit says nothing more. */
  #hear(name: string, count: number): void {
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

  #forgetOne(name: string, atMs: number): void {
    const times = this.#sent.get(name) ?? []
    const index = times.lastIndexOf(atMs)
    if (index === -1) return
    times.splice(index, 1)
    if (times.length === 0) this.#sent.delete(name)
  }
}

const nameOf = (accountId: string, mode: Mode, number: string): string => `${accountId}:${mode}:${number}`
