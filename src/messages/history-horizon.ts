/**
 * What ascending pages need to know: before which instant everything is stored for good. Times and ids are given to rows before their
 * transaction commits, and commits do not happen in the order of the times; a page that went further could pass by a row that appears
 * below its end a moment later.
 *
 * Whoever writes messages calls `begin` with the earliest time that its rows will carry, before it takes ids, and the function that it gets when
 * the commit has ended, either way. Exact for one process; what another one writes meanwhile (a command) is not waited for.
 */
export class WriteHorizon {
  readonly #now: () => number
  readonly #open = new Set<{ atMs: number }>()

  constructor(deps: { now: () => number }) {
    this.#now = deps.now
  }

  /** Says that rows with times from `atMs` on are about to be written. Gives the function that says they are, or never will be. */
  begin(atMs: number): () => void {
    const write = { atMs }
    this.#open.add(write)
    return () => void this.#open.delete(write)
  }

  /** Runs a write whose rows carry times from `atMs` on; `atMs` must be the clock of this very turn of the event loop. */
  async hold<T>(atMs: number, write: () => Promise<T>): Promise<T> {
    const written = this.begin(atMs)
    try {
      return await write()
    } finally {
      written()
    }
  }

  /** Every row whose time lies before this instant is stored, and none will be added there. */
  safeMs(): number {
    let safe = this.#now()
    for (const { atMs } of this.#open) if (atMs < safe) safe = atMs
    return safe
  }
}
