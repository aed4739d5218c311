import type { Db, Tx } from './dialect.ts'

/**
 * A lane is a share of the accounts. On PostgreSQL a unit of named accounts holds the lock of all writers shared, and those
 * of its lanes exclusively: units of other lanes run on other nodes at the same time
 * (docs/decisions/0074-lanes-of-accounts.md).
 */
const laneCount = 1_024

/** Locks of a transaction, at most. 256 take a tenth of a millisecond; with more lanes it takes the lock of all writers. */
export const maxLanes = 256

/** Returns the lane of an account: 32 bits of FNV-1a over the octets of its ID, which are ASCII. Nodes of all versions must agree. */
export function laneOf(accountId: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < accountId.length; i++) hash = Math.imul(hash ^ accountId.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % laneCount
}

/** Returns the lanes of accounts, each once, in ascending order: that in which they are locked, so that no two transactions wait for each other. */
export const lanesOfAccounts = (accountIds: Iterable<string>): number[] =>
  [...new Set(Array.from(accountIds, laneOf))].toSorted((a, b) => a - b)

/** A unit has to read or write what its lanes do not cover. The writer runs its transaction again, as the only one of all nodes. */
export class NeedsAllError extends Error {
  override readonly name = 'NeedsAllError'

  constructor() {
    super('a unit left its lanes: its transaction runs again without others')
  }
}

/** The lanes that a transaction holds. */
export class HeldLanes {
  /** In ascending order. */
  readonly lanes: readonly number[]
  readonly #held: ReadonlySet<number>
  #isLeft = false

  constructor(lanes: readonly number[]) {
    this.lanes = lanes
    this.#held = new Set(lanes)
  }

  holds(lanes: Iterable<number>): boolean {
    for (const lane of lanes) if (!this.#held.has(lane)) return false
    return true
  }

  holdsAccount(accountId: unknown): boolean {
    return typeof accountId === 'string' && this.#held.has(laneOf(accountId))
  }

  /** True once a unit has left them, though it may have caught the error: nothing of the transaction may be committed. */
  get isLeft(): boolean {
    return this.#isLeft
  }

  /** Throws `NeedsAllError`. */
  leave(): never {
    this.#isLeft = true
    throw new NeedsAllError()
  }
}

/** What the next transaction of a writer holds, as its dialect reads it when it begins. */
export interface NextLanes {
  lanes: HeldLanes | null
}

/** By executor, which each transaction has of its own. */
const held = new WeakMap<object, HeldLanes>()

/** Says which lanes a transaction holds. One of which nothing is said is the only one that writes. */
export const setLanes = (tx: Tx, lanes: HeldLanes): void => void held.set(tx.getExecutor(), lanes)

/** Returns the lanes that a transaction holds; null for one that is the only one, and for reads outside of any. */
export const lanesHeld = (db: Db | Tx): HeldLanes | null => held.get(db.getExecutor()) ?? null
