import { sql } from 'kysely'
import { type Db, StorageError, type StorageFault, type Tx } from './dialect.ts'

interface Unit {
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
  #waiting: Unit[] = []
  #running: Promise<void> | null = null
  #commits = 0
  #trouble: StorageError | null = null
  #isTrying = false
  readonly #afterCommit = new Set<(tx: Tx) => void>()

  /**
   * Writers can be nested in one another's units (sqlite-worker.ts), so their savepoints have different
   * names.
   */
  constructor(db: Db, savepoint = 'step') {
    this.#db = db
    this.#savepoint = savepoint
  }

  /** Number of committed transactions, that is flushes, for the metrics. */
  get commits(): number {
    return this.#commits
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
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run: unit, resolve: resolve as (result: unknown) => void, reject })
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
    let units: Unit[] | null = null
    // Called when the transaction has begun: units that arrive while it waits for one of another node share
    // it.
    const take = (): Unit[] => (units ??= this.#waiting.splice(0, maxUnitsPerTransaction))
    let committed: Committed
    try {
      committed = await this.#commitAll(take, maxReplays)
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

  /** Runs all units in one transaction, and again if it conflicted with another transaction. */
  async #commitAll(take: () => readonly Unit[], replaysLeft: number): Promise<Committed> {
    try {
      return await this.#db.transaction().execute(async (tx) => {
        const units = take()
        const responses: (() => void)[] = []
        for (const unit of units)
          responses.push(await attempt(tx, unit, units.length === 1 ? null : this.#savepoint))
        return { tx, responses }
      })
    } catch (error) {
      const isConflict = error instanceof StorageError && error.fault === 'conflict'
      if (isConflict && replaysLeft > 0) return this.#commitAll(take, replaysLeft - 1)
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
async function attempt(tx: Tx, unit: Unit, savepoint: string | null): Promise<() => void> {
  if (savepoint === null) {
    // The transaction acts as the savepoint: an error rolls it back, and the commit of an empty one costs
    // nothing.
    const result = await unit.run(tx)
    return () => unit.resolve(result)
  }
  // Never released: of savepoints with the same name the newest counts, and the commit releases them all.
  await sql.raw(`savepoint ${savepoint}`).execute(tx)
  try {
    const result = await unit.run(tx)
    return () => unit.resolve(result)
  } catch (error) {
    // After damage, what the other units read is not reliable: nothing is committed. PostgreSQL reports it
    // only to the statement that used the page.
    if (error instanceof StorageError && (error.transactionLost || error.fault === 'damaged')) throw error
    await sql.raw(`rollback to ${savepoint}`).execute(tx)
    return () => unit.reject(error)
  }
}
