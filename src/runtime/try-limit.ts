import type { Clock } from './clock.ts'
import type { SharedCounts } from './shared-counts.ts'

/**
 * Limits attempts under one name within a sliding window. An attempt is counted before it is made, so that
 * parallel attempts cannot bypass the limit, and uncounted when it succeeds. Memory is bounded: above
 * `maxNames` names, the one that was seen first is evicted.
 */
export class TryLimit {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #limits: { most: number; windowMs: number }
  readonly #maxNames: number
  readonly #counted: (name: string, by: number) => void
  readonly #times = new Map<string, number[]>()

  /** `most: 0` is no limit. */
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
    shared?.counts.listen(shared.kind, (name, count) => this.#countRemote(name, count))
  }

  /** Counts an attempt and returns 0; or, above the limit, counts nothing and returns the seconds to wait. */
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

  /**
   * Applies attempts that another node has counted, or has uncounted. More than the limit adds no
   * information.
   */
  #countRemote(name: string, count: number): void {
    const times = this.#times.get(name) ?? []
    if (count < 0) times.splice(count)
    const now = this.#clock.monotonicMs()
    for (let i = 0; i < Math.min(count, this.#limits.most); i++) times.push(now)
    if (times.length === 0) this.#times.delete(name)
    else this.#keep(name, times)
  }

  /** Uncounts the last attempt. */
  giveBack(name: string): void {
    const times = this.#times.get(name)
    if (times?.pop() !== undefined) this.#counted(name, -1)
    if (times?.length === 0) this.#times.delete(name)
  }

  /** Resets the count of a name, after a success. */
  forget(name: string): void {
    const times = this.#times.get(name)
    if (times !== undefined) this.#counted(name, -times.length)
    this.#times.delete(name)
  }
}
