import { sql } from 'kysely'
import { type Db, StorageError, type StorageFault, type Tx } from './dialect.ts'

interface Unit {
  run: (tx: Tx) => Promise<unknown>
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

interface Committed {
  tx: Tx
  answers: (() => void)[]
}

/** More units than this make a transaction of their own: bounds how long a commit can be kept waiting. */
const maxUnitsPerTransaction = 64

/** How often units whose transaction met another one's are run again. Each time one of those in the way has ended. */
const maxReplays = 10

/**
 * The one writer. All units that wait, of whatever kind, share one transaction, each behind a savepoint, and one flush; then
 * all are answered. A unit that throws is rolled back alone; when the transaction itself is lost, every unit in it fails.
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

  /** Writers may stand in one another's units (sqlite-worker.ts): each names its savepoints differently. */
  constructor(db: Db, savepoint = 'step') {
    this.#db = db
    this.#savepoint = savepoint
  }

  /** How many transactions were committed: flushes, for the metrics. */
  get commits(): number {
    return this.#commits
  }

  /**
   * Why the database took no write the last time; null while it takes them. To ask while it does not tries again behind the answer, so that a
   * server without work comes out of it too.
   */
  trouble(): StorageError | null {
    if (this.#trouble !== null && !this.#isTrying) {
      this.#isTrying = true
      const tried = (): void => void (this.#isTrying = false)
      this.write(async () => undefined).then(tried, tried)
    }
    return this.#trouble
  }

  /** Runs `unit` in the next transaction and gives its result after that transaction is flushed. */
  write<T>(unit: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run: unit, resolve: resolve as (result: unknown) => void, reject })
      this.#running ??= this.#drain()
    })
  }

  /**
   * Calls `listener` after each commit, with the transaction that was committed and before any of its units is answered: what is remembered of the
   * rows is dropped before the caller knows that they changed. Returns the function that ends this.
   */
  afterCommit(listener: (tx: Tx) => void): () => void {
    this.#afterCommit.add(listener)
    return () => void this.#afterCommit.delete(listener)
  }

  /** Settles when nothing waits any more. */
  async drain(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  async #drain(): Promise<void> {
    // Yields once, so that units of other kinds that are made in the same turn join the first transaction.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) await this.#transact()
    this.#running = null
  }

  async #transact(): Promise<void> {
    let units: Unit[] | null = null
    // When the transaction has begun: where it waits for that of another node, what comes meanwhile shares it.
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
    for (const answer of committed.answers) answer()
  }

  /** Runs all units in one transaction, and anew while another transaction was in the way. */
  async #commitAll(take: () => readonly Unit[], replaysLeft: number): Promise<Committed> {
    try {
      return await this.#db.transaction().execute(async (tx) => {
        const units = take()
        const answers: (() => void)[] = []
        for (const unit of units)
          answers.push(await attempt(tx, unit, units.length === 1 ? null : this.#savepoint))
        return { tx, answers }
      })
    } catch (error) {
      const isConflict = error instanceof StorageError && error.fault === 'conflict'
      if (isConflict && replaysLeft > 0) return this.#commitAll(take, replaysLeft - 1)
      throw error
    }
  }
}

/** Whether it says something about the database as a whole, and not about what it was offered. */
const isTrouble = (error: unknown): error is StorageError =>
  error instanceof StorageError && !ofOneUnit.has(error.fault)

const ofOneUnit: ReadonlySet<StorageFault> = new Set(['constraint', 'conflict', 'damaged_page'])

/** Runs one unit behind a savepoint; gives what to tell its caller once the commit has succeeded. */
async function attempt(tx: Tx, unit: Unit, savepoint: string | null): Promise<() => void> {
  if (savepoint === null) {
    // The transaction is the savepoint: an error rolls it back, and the commit of an empty one costs nothing.
    const result = await unit.run(tx)
    return () => unit.resolve(result)
  }
  // Never released: savepoints of one name stack, the newest is the one that counts, and the commit releases them all.
  await sql.raw(`savepoint ${savepoint}`).execute(tx)
  try {
    const result = await unit.run(tx)
    return () => unit.resolve(result)
  } catch (error) {
    // What the others read of a damaged file may be anything: nothing of it is committed. Of a server it is said of the statement that met the page.
    if (error instanceof StorageError && (error.transactionLost || error.fault === 'damaged')) throw error
    await sql.raw(`rollback to ${savepoint}`).execute(tx)
    return () => unit.reject(error)
  }
}
