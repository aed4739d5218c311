import { BoundedMap } from '../../runtime/bounded-map.ts'
import { maxOpen } from '../../messages/phones/phone-offers.ts'

/** A message whose final state a phone has not reported. */
export interface UnreportedOffer {
  attemptId: string
  /** How long its report is still awaited; 0 or less: no longer. */
  waitsForMs: number
}

/** The outcome when a phone does not report. */
export const noReport = {
  kind: 'unknown',
  networkIds: [],
  partsTaken: 0,
  detail: 'The phone did not report the outcome.',
} as const

/** What a phone was given and has not reported as final, by attempt. Times are monotonic. */
export class UnreportedOffers {
  #waitedUntilMs = new Map<string, number>()
  /** What is finished stays finished: a count that began earlier may still list it. */
  readonly #finished = new BoundedMap<true>(maxOpen)

  get attemptIds(): string[] {
    return [...this.#waitedUntilMs.keys()]
  }

  get size(): number {
    return this.#waitedUntilMs.size
  }

  given({ attemptId, waitsForMs }: UnreportedOffer, nowMs: number): void {
    this.#waitedUntilMs.set(attemptId, nowMs + waitsForMs)
  }

  finished(attemptId: string): void {
    this.#waitedUntilMs.delete(attemptId)
    this.#finished.set(attemptId, true)
  }

  /**
   * Replaces the known offers by those of the database. No count extends a wait, even if the wall clock was
   * set back.
   */
  counted(offers: readonly UnreportedOffer[], nowMs: number): void {
    const before = this.#waitedUntilMs
    this.#waitedUntilMs = new Map(
      offers
        .filter(({ attemptId }) => !this.#finished.has(attemptId))
        .map(({ attemptId, waitsForMs }) => {
          const untilMs = before.get(attemptId) ?? Number.POSITIVE_INFINITY
          return [attemptId, Math.min(untilMs, nowMs + waitsForMs)]
        }),
    )
  }

  /** Returns whether any report is overdue. */
  isOverdue(nowMs: number): boolean {
    return [...this.#waitedUntilMs.values()].some((untilMs) => untilMs <= nowMs)
  }

  clear(): void {
    this.#waitedUntilMs.clear()
    this.#finished.clear()
  }
}
