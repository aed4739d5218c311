import type { Command } from '../codec/pdu.ts'
import type { RequestOutcome } from './request-outcome.ts'

/** A request that has a sequence number and waits for its response. */
export interface Open {
  readonly answeredBy: Command
  readonly sequence: number
  /** Whether it takes room in the window, as all do except those of the session itself. */
  readonly isWindowed: boolean
  readonly timeoutMs: number
  readonly settle: (outcome: RequestOutcome<Command>) => void
  /** Null while it is certain that none of it was sent. */
  writtenMs: number | null
  /** On the clock that stops while reading is paused. */
  deadlineMs: number
  /** On the clock that never stops. */
  latestMs: number
  hasEnded: boolean
  older: Open | null
  newer: Open | null
}

/**
 * Requests in the order of their sending. Peers almost always respond in that order, so the one sought is the
 * first. A map would find the others faster, but the tables that it outgrows keep each other and their
 * contents alive until a full collection: at 400,000 requests per second that was a quarter of the time.
 */
export class OpenList {
  #oldest: Open | null = null
  #newest: Open | null = null

  get oldest(): Open | null {
    return this.#oldest
  }

  get newest(): Open | null {
    return this.#newest
  }

  add(open: Open): void {
    open.older = this.#newest
    if (this.#newest === null) this.#oldest = open
    else this.#newest.newer = open
    this.#newest = open
  }

  find(sequence: number): Open | null {
    let open = this.#oldest
    while (open !== null && open.sequence !== sequence) open = open.newer
    return open
  }

  /** All that are in it now, oldest first. */
  toArray(): Open[] {
    const all: Open[] = []
    for (let open = this.#oldest; open !== null; open = open.newer) all.push(open)
    return all
  }

  /** Removes one that is in the list. */
  remove(open: Open): void {
    const { older, newer } = open
    if (older === null) this.#oldest = newer
    else older.newer = newer
    if (newer === null) this.#newest = older
    else newer.older = older
    open.older = open.newer = null
  }
}
