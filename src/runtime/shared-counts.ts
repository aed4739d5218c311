/** A count under a name, of a limit of a kind. */
export type Counted = readonly [kind: string, name: string, count: number]

/**
 * Counts of limits that several nodes share. Each node counts its own events and broadcasts them from time to
 * time; between two broadcasts it knows of the others only what they have sent.
 */
export class SharedCounts {
  readonly #listeners = new Map<string, (name: string, count: number) => void>()
  #gathered = new Map<string, Counted>()
  #sender: { isHeard(): boolean; plan(): void } | null = null

  /** Sets the sender of the counts of this node. */
  tellBy(sender: { isHeard(): boolean; plan(): void }): void {
    this.#sender = sender
  }

  /** Calls `counted` with the counts of other nodes of this kind; negative if they have undone some. */
  listen(kind: string, counted: (name: string, count: number) => void): void {
    this.#listeners.set(kind, counted)
  }

  count(kind: string, name: string, by = 1): void {
    if (this.#sender?.isHeard() !== true) return
    this.#add(kind, name, by)
    this.#sender.plan()
  }

  #add(kind: string, name: string, by: number): void {
    const key = `${kind} ${name}`
    const [, , before] = this.#gathered.get(key) ?? [kind, name, 0]
    this.#gathered.set(key, [kind, name, before + by])
  }

  /** Returns and removes the counts collected since the last call. */
  take(): Counted[] {
    const gathered = [...this.#gathered.values()].filter(([, , count]) => count !== 0)
    this.#gathered = new Map()
    return gathered
  }

  /** Adds counts again that could not be sent: they are part of the next broadcast. */
  putBack(counted: readonly Counted[]): void {
    for (const [kind, name, count] of counted) this.#add(kind, name, count)
  }

  hear(counted: readonly Counted[]): void {
    for (const [kind, name, count] of counted) this.#listeners.get(kind)?.(name, count)
  }
}
