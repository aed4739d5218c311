import { sql } from 'kysely'
import { type Db, StorageError, type StorageFault, type Tx } from './dialect.ts'
import { HeldLanes, lanesOfAccounts, maxLanes, NeedsAllError, type NextLanes, setLanes } from './lanes.ts'

/** The accounts of a unit; if calls of it can still join, those that it would take now. Null: it needs all lanes. */
export type UnitAccounts = () => Iterable<string> | null

interface Unit {
  lanes: () => readonly number[] | null
  run: (tx: Tx) => Promise<unknown>
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

interface Committed {
  tx: Tx
  responses: (() => void)[]
}

/** Further units form the next transaction: this limits how long a commit can be delayed. */
const maxUnitsPerTransaction = 64

/**
 * Maximum reruns of units whose transaction conflicted with another one. Each time one of the others has
 * finished.
 */
const maxReplays = 10

/**
 * The only writer. All waiting units, of any kind, share one transaction, each in a savepoint, and one flush;
 * then all get their results. A unit that throws is rolled back alone; if the transaction itself is lost,
 * every unit in it fails.
 */
export class Writer {
  readonly #db: Db
  readonly #savepoint: string
  readonly #next: NextLanes | null
  #waiting: Unit[] = []
  #running: Promise<void> | null = null
  #commits = 0
  #widened = 0
  #trouble: StorageError | null = null
  #isTrying = false
  readonly #afterCommit = new Set<(tx: Tx) => void>()

  /**
   * Writers can be nested in one another's units (sqlite-worker.ts), so their savepoints have different
   * names. Without `next`, every transaction is the only one of its database.
   */
  constructor(
    db: Db,
    { savepoint = 'step', next = null }: { savepoint?: string; next?: NextLanes | null } = {},
  ) {
    this.#db = db
    this.#savepoint = savepoint
    this.#next = next
  }

  /** Number of committed transactions, that is flushes, for the metrics. */
  get commits(): number {
    return this.#commits
  }

  /** Number of transactions that ran again without others, because a unit had left its lanes. */
  get widened(): number {
    return this.#widened
  }

  /**
   * Returns why the last write failed; null while writes succeed. While they fail, each call also starts a
   * test write in the background, so that a server without work recovers too.
   */
  trouble(): StorageError | null {
    if (this.#trouble !== null && !this.#isTrying) {
      this.#isTrying = true
      const settled = (): void => void (this.#isTrying = false)
      this.write(async () => undefined).then(settled, settled)
    }
    return this.#trouble
  }

  /** Runs `unit` in the next transaction and returns its result after that transaction is flushed. */
  write<T>(unit: (tx: Tx) => Promise<T>): Promise<T> {
    return this.writeFor(() => null, unit)
  }

  /**
   * Does the same for a unit that reads and writes rows of these accounts alone: on PostgreSQL, transactions of other nodes
   * run at the same time unless they share a lane with it. One that turns out to need more (`NeedsAllError`) is rolled back, and runs
   * again without others.
   */
  writeFor<T>(accounts: UnitAccounts, unit: (tx: Tx) => Promise<T>): Promise<T> {
    const lanes = (): readonly number[] | null => {
      try {
        const ids = accounts()
        return ids === null ? null : lanesOfAccounts(ids)
      } catch {
        // The unit fails on its input by itself, and its caller alone gets the error.
        return null
      }
    }
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ lanes, run: unit, resolve: resolve as (result: unknown) => void, reject })
      this.#running ??= this.#drain()
    })
  }

  /**
   * Calls `listener` after each commit, with the committed transaction, before any of its units gets its
   * result: caches are invalidated before the caller knows of the change. Returns the function that removes
   * the listener.
   */
  afterCommit(listener: (tx: Tx) => void): () => void {
    this.#afterCommit.add(listener)
    return () => void this.#afterCommit.delete(listener)
  }

  /** Resolves when no unit is waiting. */
  async drain(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  async #drain(): Promise<void> {
    // Yields once, so that units of other kinds from the same turn of the event loop join the first
    // transaction.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) await this.#transact()
    this.#running = null
  }

  async #transact(): Promise<void> {
    const planned = this.#waiting.slice(0, maxUnitsPerTransaction)
    const lanes = this.#lanesOf(planned)
    let units: Unit[] | null = null
    // Called when the transaction has begun: units that arrive while it waits for one of another node share
    // it.
    const take = (): Unit[] => (units ??= this.#take(planned.length, lanes))
    let committed: Committed
    try {
      committed = await this.#commitAll(take, lanes, maxReplays)
      this.#commits += 1
      this.#trouble = null
    } catch (error) {
      if (isTrouble(error)) this.#trouble = error
      for (const unit of take()) unit.reject(error)
      return
    }
    for (const listener of this.#afterCommit) listener(committed.tx)
    for (const respond of committed.responses) respond()
  }

  /** Returns what a transaction of these units has to hold; null for all lanes, which one unit is enough to need. */
  #lanesOf(units: readonly Unit[]): HeldLanes | null {
    if (this.#next === null) return null
    const union = new Set<number>()
    for (const unit of units) {
      const lanes = unit.lanes()
      if (lanes === null) return null
      for (const lane of lanes) union.add(lane)
    }
    return union.size > maxLanes ? null : new HeldLanes([...union].toSorted((a, b) => a - b))
  }

  /** Takes the units that were planned, and those behind them that need no other lanes, up to the first that does: units keep their order. */
  #take(planned: number, held: HeldLanes | null): Unit[] {
    let length = planned
    for (const unit of this.#waiting.slice(planned, maxUnitsPerTransaction)) {
      const lanes = held === null ? [] : unit.lanes()
      if (lanes === null || held?.holds(lanes) === false) break
      length += 1
    }
    return this.#waiting.splice(0, length)
  }

  /** Runs all units in one transaction, and again if it conflicted with another transaction, or needs other lanes. */
  async #commitAll(
    take: () => readonly Unit[],
    lanes: HeldLanes | null,
    replaysLeft: number,
  ): Promise<Committed> {
    if (this.#next !== null) this.#next.lanes = lanes
    try {
      return await this.#db.transaction().execute(async (tx) => {
        if (lanes !== null) setLanes(tx, lanes)
        const units = take()
        const responses: (() => void)[] = []
        for (const unit of units)
          responses.push(await attempt(tx, unit, units.length === 1 ? null : this.#savepoint, lanes))
        return { tx, responses }
      })
    } catch (error) {
      if (error instanceof NeedsAllError) {
        this.#widened += 1
        return this.#commitAll(take, null, replaysLeft)
      }
      const isConflict = error instanceof StorageError && error.fault === 'conflict'
      if (isConflict && replaysLeft > 0) return this.#commitAll(take, lanes, replaysLeft - 1)
      throw error
    }
  }
}

/** Returns whether the fault is about the database as a whole, not about the input. */
const isTrouble = (error: unknown): error is StorageError =>
  error instanceof StorageError && !ofOneUnit.has(error.fault)

const ofOneUnit: ReadonlySet<StorageFault> = new Set(['constraint', 'conflict', 'damaged_page'])

/**
 * Runs one unit in a savepoint. Returns the function that passes the result to its caller once the commit has
 * succeeded.
 */
async function attempt(
  tx: Tx,
  unit: Unit,
  savepoint: string | null,
  lanes: HeldLanes | null,
): Promise<() => void> {
  if (savepoint === null) {
    // The transaction acts as the savepoint: an error rolls it back, and the commit of an empty one costs
    // nothing.
    const result = await withinLanes(unit.run(tx), lanes)
    return () => unit.resolve(result)
  }
  // Never released: of savepoints with the same name the newest counts, and the commit releases them all.
  await sql.raw(`savepoint ${savepoint}`).execute(tx)
  try {
    const result = await withinLanes(unit.run(tx), lanes)
    return () => unit.resolve(result)
  } catch (error) {
    if (error instanceof NeedsAllError) throw error
    // After damage, what the other units read is not reliable: nothing is committed. PostgreSQL reports it
    // only to the statement that used the page.
    if (error instanceof StorageError && (error.transactionLost || error.fault === 'damaged')) throw error
    await sql.raw(`rollback to ${savepoint}`).execute(tx)
    return () => unit.reject(error)
  }
}

/** However a unit ends that has left its lanes, its transaction needs all of them. */
async function withinLanes(run: Promise<unknown>, lanes: HeldLanes | null): Promise<unknown> {
  const refuseLeft = (): void => {
    if (lanes?.isLeft === true) throw new NeedsAllError()
  }
  try {
    const result = await run
    refuseLeft()
    return result
  } catch (error) {
    refuseLeft()
    throw error
  }
}
