import { BoundedMap } from '../../bounded-map.ts'

/** Bounds the ids that are remembered: some hours of a busy link. */
export const mostIds = 100_000

/**
 * Ids that the SMSC gave to messages of ours. Only for one thing: a text that looks like a receipt, and does not say that it is one, is
 * taken for one when it is about a message of ours.
 */
export class KnownIds {
  readonly #ids = new BoundedMap<true>(mostIds)

  add(networkId: string): void {
    this.#ids.set(networkId, true)
  }

  has(networkId: string): boolean {
    return this.#ids.has(networkId)
  }
}
