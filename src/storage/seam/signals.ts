/** Words between the nodes of a database, heard within milliseconds and never relied on: what one loses the next poll makes up for. */
export interface Signals {
  /** Whether words come and go now. */
  readonly isListening: boolean
  /** Tells all nodes, this one among them. Resolves to whether it was sent; `false` may be wrong. */
  send(word: string): Promise<boolean>
  /** Tells `on` from now on. */
  listen(on: SignalsListener): Promise<void>
  close(): Promise<void>
}

export interface SignalsListener {
  heard(word: string): void
  /** Some may have been missed: after every new connection. */
  missed(): void
  /** Nothing is heard until `missed` is called. */
  lost(): void
}

/** Octets of a word: PostgreSQL takes 7,999. */
export const longestWord = 7_900
