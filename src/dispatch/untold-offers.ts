import { BoundedMap } from '../bounded-map.ts'
import { mostOpen } from '../messages/phone-offers.ts'

/** What a phone was given and has not told the end of, by attempt. */
export class UntoldOffers {
  #attemptIds = new Set<string>()
  /** What has ended stays so: a count that was begun before may name it still. */
  readonly #told = new BoundedMap<true>(mostOpen)

  get size(): number {
    return this.#attemptIds.size
  }

  given(attemptId: string): void {
    this.#attemptIds.add(attemptId)
  }

  told(attemptId: string): void {
    this.#attemptIds.delete(attemptId)
    this.#told.set(attemptId, true)
  }

  /** What the database knows of, in the place of what was known here. */
  counted(attemptIds: readonly string[]): void {
    this.#attemptIds = new Set(attemptIds.filter((attemptId) => !this.#told.has(attemptId)))
  }

  clear(): void {
    this.#attemptIds.clear()
    this.#told.clear()
  }
}
