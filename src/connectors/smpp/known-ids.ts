/** Bounds the ids that are remembered: some hours of a busy link. */
const mostIds = 100_000

/**
 * Ids that the SMSC gave to messages of ours. Only for one thing: a text that looks like a receipt, and does not say that it is one, is
 * taken for one when it is about a message of ours.
 */
export class KnownIds {
  readonly #ids = new Set<string>()

  add(networkId: string): void {
    this.#ids.add(networkId)
    if (this.#ids.size <= mostIds) return
    const oldest = this.#ids.values().next().value
    if (oldest !== undefined) this.#ids.delete(oldest)
  }

  has(networkId: string): boolean {
    return this.#ids.has(networkId)
  }
}
