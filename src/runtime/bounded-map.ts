/** A map with string keys that holds at most `maxEntries` entries and evicts the oldest for a new one. */
export class BoundedMap<Value> {
  readonly #maxEntries: number
  readonly #entries = new Map<string, Value>()
  #oldest: Iterator<string> | null = null
  #setsUntilRenewed = 0

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  set(key: string, value: Value): void {
    // Reinserted, so that an updated entry counts as new.
    this.#entries.delete(key)
    if (this.#entries.size >= this.#maxEntries) this.#entries.delete(this.#takeOldest())
    this.#entries.set(key, value)
    this.#setsUntilRenewed -= 1
    if (this.#setsUntilRenewed <= 0) this.#oldest = null
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  /**
   * Evicts in constant time. A new iterator steps over each slot before the oldest entry that was deleted
   * since V8 last compacted the table: 11 to 38 µs with 100,000 entries. A kept iterator is already past
   * them, since deleted entries are in front of it and new ones after it. It is renewed now and then, because
   * an idle iterator keeps every table that V8 has replaced alive.
   */
  #takeOldest(): string {
    if (this.#oldest === null) {
      this.#oldest = this.#entries.keys()
      this.#setsUntilRenewed = this.#maxEntries
    }
    return (this.#oldest.next() as IteratorYieldResult<string>).value
  }
}
