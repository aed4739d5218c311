import type { Tx } from '../../storage/seam/dialect.ts'
import { notBelow } from '../core/history-floor.ts'

/**
 * The instant before which all writes are stored permanently: ascending pages end there. Rows get their times
 * and IDs before their transaction commits, and commits do not follow the order of the times. A page that
 * went further could miss a row that appears below its end a moment later.
 *
 * A writer of messages calls `begin` with the earliest time that its rows will carry, before it takes IDs. It
 * calls the returned function when the commit has ended, either way. This is exact for one process.
 *
 * With several nodes, pages are returned up to a floor in the database, which every unit that writes messages
 * reads: see history-floor.ts. This is exact too, regardless of the nodes' clocks and of pauses in the middle
 * of a write. Writes of commands are not waited for.
 */
export class WriteHorizon {
  readonly #now: () => number
  readonly #shared: SharedWrites | null
  readonly #open = new Set<{ atMs: number }>()
  #floorMs = 0
  #begun = 0
  #raised: { floor: Promise<number>; atMs: number } | null = null

  constructor(deps: { now: () => number; shared?: SharedWrites | null }) {
    this.#now = deps.now
    this.#shared = deps.shared ?? null
  }

  /** How many writes have begun so far. */
  get begun(): number {
    return this.#begun
  }

  /** Returns the clock, or the floor where that is later: IDs and times made now are after every page. */
  readonly now = (): number => Math.max(this.#now(), this.#floorMs)

  /**
   * Announces rows with times from `atMs` on. Returns the function to call when the commit has ended, either
   * way.
   */
  begin(atMs: number): () => void {
    const write = { atMs }
    this.#begun += 1
    this.#open.add(write)
    return () => void this.#open.delete(write)
  }

  /**
   * Runs a write whose rows carry times from `atMs` on; `atMs` must be the clock of this turn of the event
   * loop. The unit must write the time that `timeIn` returns.
   */
  async announce<T>(atMs: number, write: (timeIn: (tx: Tx) => Promise<number>) => Promise<T>): Promise<T> {
    const written = this.begin(atMs)
    try {
      return await write((tx) => notBelow(tx, atMs))
    } finally {
      written()
    }
  }

  /** A page beyond the time of a write of this node was returned: later times are above `floorMs`. */
  heardOf(floorMs: number): void {
    this.#floorMs = Math.max(this.#floorMs, floorMs)
  }

  /** Returns the instant before which every row is stored and none will be added. */
  safeMs(): number | Promise<number> {
    return this.#shared === null ? this.#ownSafeMs() : this.#sharedSafeMs(this.#shared)
  }

  #ownSafeMs(): number {
    let safe = this.#now()
    for (const { atMs } of this.#open) if (atMs < safe) safe = atMs
    return safe
  }

  async #sharedSafeMs(shared: SharedWrites): Promise<number> {
    const aloneAtMs = await shared.aloneSince()
    if (aloneAtMs !== null) return Math.min(this.#ownSafeMs(), aloneAtMs)
    const nowMs = shared.monotonicMs()
    if (this.#raised === null || nowMs - this.#raised.atMs >= raiseEachMs)
      this.#raised = { floor: shared.raise(this.now()), atMs: nowMs }
    const raised = this.#raised
    try {
      const floor = await raised.floor
      this.heardOf(floor)
      return floor
    } catch (error) {
      if (this.#raised === raised) this.#raised = null
      throw error
    }
  }
}

/**
 * Pages share one floor for this long: a node writes it at most this often, regardless of how many pages are
 * read.
 */
const raiseEachMs = 100

/** What several nodes share. */
export interface SharedWrites {
  monotonicMs(): number
  /** Returns the database's time when no other node writes, else null. */
  aloneSince(): Promise<number | null>
  /** Raises the floor of all nodes; resolves with it once it is flushed. */
  raise(toMs: number): Promise<number>
}
