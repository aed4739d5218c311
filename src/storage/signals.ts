/** Words between the nodes of a database, heard within milliseconds and never relied on: what one loses the next poll makes up for. */
export interface Signals {
  /** Tells all nodes, this one among them. Resolves also when it could not be told. */
  send(word: string): Promise<void>
  /** Calls `heard` with each word from now on, and `missed` when some may have been missed: after every new connection. */
  listen(on: { heard: (word: string) => void; missed: () => void }): Promise<void>
  close(): Promise<void>
}

/** Octets of a word: PostgreSQL takes 7,999. */
export const longestWord = 7_900
