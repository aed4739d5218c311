import type { Clock } from './clock.ts'
import type { SharedCounts } from './shared-counts.ts'

/**
 * How often something may be tried under one name within a window that slides. An attempt is counted before it is made, so that
 * many at once are no way around, and given back when it succeeds. Memory is bounded: of more than `maxNames` names the one that
 * was first seen is forgotten.
 */
export class TryLimit {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #limits: { most: number; windowMs: number }
  readonly #maxNames: number
  readonly #counted: (name: string, by: number) => void
  readonly #times = new Map<string, number[]>()

  /** No limit when `most` is 0. */
  constructor(
    deps: { clock: Pick<Clock, 'monotonicMs'>; shared?: { counts: SharedCounts; kind: string } | undefined },
    limits: { most: number; windowMs: number },
    maxNames = 50_000,
  ) {
    this.#clock = deps.clock
    this.#limits = limits
    this.#maxNames = maxNames
    const { shared } = deps
    this.#counted = (name, by) => shared?.counts.count(shared.kind, name, by)
    shared?.counts.listen(shared.kind, (name, count) => this.#hear(name, count))
  }

  /** Counts one; gives 0, or the seconds to wait when there were too many, and then counts nothing. */
  take(name: string): number {
    const { most, windowMs } = this.#limits
    if (most === 0) return 0
    const now = this.#clock.monotonicMs()
    const times = (this.#times.get(name) ?? []).filter((at) => at > now - windowMs)
    const [oldest = now] = times
    if (times.length >= most) return Math.ceil((oldest + windowMs - now) / 1_000)
    times.push(now)
    this.#keep(name, times)
    this.#counted(name, 1)
    return 0
  }

  #keep(name: string, times: number[]): void {
    this.#times.set(name, times)
    if (this.#times.size > this.#maxNames) this.#times.delete(this.#times.keys().next().value as string)
  }

  /** Another node has counted attempts, or has taken back what it counted. More than any limit says nothing more. */
  #hear(name: string, count: number): void {
    const times = this.#times.get(name) ?? []
    if (count < 0) times.splice(count)
    const now = this.#clock.monotonicMs()
    for (let i = 0; i < Math.min(count, this.#limits.most); i++) times.push(now)
    if (times.length === 0) this.#times.delete(name)
    else this.#keep(name, times)
  }

  /** The last one did not count after all. */
  giveBack(name: string): void {
    const times = this.#times.get(name)
    if (times?.pop() !== undefined) this.#counted(name, -1)
    if (times?.length === 0) this.#times.delete(name)
  }

  /** A success under this name ends its count. */
  forget(name: string): void {
    const times = this.#times.get(name)
    if (times !== undefined) this.#counted(name, -times.length)
    this.#times.delete(name)
  }
}
