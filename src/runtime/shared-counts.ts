/** What was counted under a name by a limit of a kind. */
export type Counted = readonly [kind: string, name: string, count: number]

/**
 * Counts of limits that several nodes keep together: each counts what it sees by itself, and tells the others now and then. Between two tellings
 * each knows of the others only what they had told.
 */
export class SharedCounts {
  readonly #heard = new Map<string, (name: string, count: number) => void>()
  #gathered = new Map<string, Counted>()
  #teller: { isHeard(): boolean; plan(): void } | null = null

  /** Who hands on what is counted here. */
  tellBy(teller: { isHeard(): boolean; plan(): void }): void {
    this.#teller = teller
  }

  /** Calls `heard` with what other nodes have counted under this kind; less than 0 where they have taken something back. */
  listen(kind: string, heard: (name: string, count: number) => void): void {
    this.#heard.set(kind, heard)
  }

  count(kind: string, name: string, by = 1): void {
    if (this.#teller?.isHeard() !== true) return
    this.#add(kind, name, by)
    this.#teller.plan()
  }

  #add(kind: string, name: string, by: number): void {
    const key = `${kind} ${name}`
    const [, , before] = this.#gathered.get(key) ?? [kind, name, 0]
    this.#gathered.set(key, [kind, name, before + by])
  }

  /** What was gathered since the last time. */
  take(): Counted[] {
    const gathered = [...this.#gathered.values()].filter(([, , count]) => count !== 0)
    this.#gathered = new Map()
    return gathered
  }

  /** Of what was taken this could not be told: it is part of the next telling. */
  putBack(counted: readonly Counted[]): void {
    for (const [kind, name, count] of counted) this.#add(kind, name, count)
  }

  hear(counted: readonly Counted[]): void {
    for (const [kind, name, count] of counted) this.#heard.get(kind)?.(name, count)
  }
}
