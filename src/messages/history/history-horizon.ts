import type { Tx } from '../../storage/seam/dialect.ts'
import { notBelow } from '../core/history-floor.ts'

/**
 * What ascending pages need to know: before which instant everything is stored for good. Times and ids are given to rows before their
 * transaction commits, and commits do not happen in the order of the times; a page that went further could pass by a row that appears
 * below its end a moment later.
 *
 * Whoever writes messages calls `begin` with the earliest time that its rows will carry, before it takes ids, and the function that it gets when
 * the commit has ended, either way. Exact for one process.
 *
 * Where several nodes write, pages are given out up to a floor that stands in the database, and every unit that writes messages reads it: see
 * history-floor.ts. Exact too, whatever the clocks of the nodes say and however long a node stands still in the middle of a write. What a command
 * writes meanwhile is not waited for.
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

  /** The clock, or the floor where that is ahead of it: ids and times that are made now are not behind a page. */
  readonly now = (): number => Math.max(this.#now(), this.#floorMs)

  /** Says that rows with times from `atMs` on are about to be written. Gives the function that says they are, or never will be. */
  begin(atMs: number): () => void {
    const write = { atMs }
    this.#begun += 1
    this.#open.add(write)
    return () => void this.#open.delete(write)
  }

  /**
   * Runs a write whose rows carry times from `atMs` on; `atMs` must be the clock of this very turn of the event loop. The unit is to write the
   * time that `timeIn` gives.
   */
  async hold<T>(atMs: number, write: (timeIn: (tx: Tx) => Promise<number>) => Promise<T>): Promise<T> {
    const written = this.begin(atMs)
    try {
      return await write((tx) => notBelow(tx, atMs))
    } finally {
      written()
    }
  }

  /** A page was given out beyond the time of a write of this node: what is made from now on lies behind it. */
  heardOf(floorMs: number): void {
    this.#floorMs = Math.max(this.#floorMs, floorMs)
  }

  /** Every row whose time lies before this instant is stored, and none will be added there. */
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

/** Pages share one floor for so long: a node writes it that often at most, however many ask. */
const raiseEachMs = 100

/** What several nodes have in common. */
export interface SharedWrites {
  monotonicMs(): number
  /** The database's time when no other node writes, else null. */
  aloneSince(): Promise<number | null>
  /** Raises the floor of all nodes; gives it once that is flushed. */
  raise(toMs: number): Promise<number>
}
