/** A map by text that holds at most `most` entries and forgets the oldest for a new one. */
export class BoundedMap<Value> {
  readonly #most: number
  readonly #entries = new Map<string, Value>()

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: Value): void {
    // Put in anew, so that what is renewed counts as young.
    this.#entries.delete(key)
    if (this.#entries.size >= this.#most) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest)
        break
      }
    }
    this.#entries.set(key, value)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }
}
