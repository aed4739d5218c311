import { BoundedMap } from '../../runtime/bounded-map.ts'
import { maxOpen } from '../../messages/phones/phone-offers.ts'

/** A message of whose end a phone has not told. */
export interface UnreportedOffer {
  attemptId: string
  /** For how long its end is waited for still; 0 or less: no longer. */
  waitsForMs: number
}

/** What it comes to when a phone does not tell. */
export const noWord = {
  kind: 'unknown',
  networkIds: [],
  partsTaken: 0,
  detail: 'The phone did not say what became of it.',
} as const

/** What a phone was given and has not told the end of, by attempt. Times are monotonic. */
export class UnreportedOffers {
  #waitedUntilMs = new Map<string, number>()
  /** What has ended stays so: a count that was begun before may name it still. */
  readonly #told = new BoundedMap<true>(maxOpen)

  get attemptIds(): string[] {
    return [...this.#waitedUntilMs.keys()]
  }

  get size(): number {
    return this.#waitedUntilMs.size
  }

  given({ attemptId, waitsForMs }: UnreportedOffer, nowMs: number): void {
    this.#waitedUntilMs.set(attemptId, nowMs + waitsForMs)
  }

  told(attemptId: string): void {
    this.#waitedUntilMs.delete(attemptId)
    this.#told.set(attemptId, true)
  }

  /** What the database knows of, in the place of what was known here. No count lengthens a wait, though the wall clock were set back. */
  counted(offers: readonly UnreportedOffer[], nowMs: number): void {
    const before = this.#waitedUntilMs
    this.#waitedUntilMs = new Map(
      offers
        .filter(({ attemptId }) => !this.#told.has(attemptId))
        .map(({ attemptId, waitsForMs }) => {
          const untilMs = before.get(attemptId) ?? Number.POSITIVE_INFINITY
          return [attemptId, Math.min(untilMs, nowMs + waitsForMs)]
        }),
    )
  }

  /** Whether the end of any is waited for no longer. */
  isOverdue(nowMs: number): boolean {
    return [...this.#waitedUntilMs.values()].some((untilMs) => untilMs <= nowMs)
  }

  clear(): void {
    this.#waitedUntilMs.clear()
    this.#told.clear()
  }
}
