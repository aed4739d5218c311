import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type pg from 'pg'
import type { Row, StorageError } from '../seam/dialect.ts'
import type { HeldLanes } from '../seam/lanes.ts'
import { askForCommit, incarnationSql, type OpenTransaction } from './postgres-commit.ts'
import { asStorageError } from './postgres-faults.ts'
import { isConstant, nameOf } from './postgres-sets.ts'
import { type CommonTexts, sharedPart, SharedTexts } from './postgres-together.ts'

/** Called each time a connection is acquired, before its first statement. */
export type Prepare = (client: pg.PoolClient) => Promise<void>

/** Removes what fixes the join order on SQLite (`SelectEach`). */
const joined = (sql: string): string => sql.replace(/\bcross join (\w+ \w+) on\b/g, 'join $1 on')

/** The incarnation of the server of each connection: no session survives a recovery. */
const incarnations = new WeakMap<pg.PoolClient, string>()

/** One connection, used by one transaction or one statement. */
export class PostgresConnection implements DatabaseConnection {
  readonly #pool: pg.Pool
  readonly #client: pg.PoolClient
  #transaction: OpenTransaction | null = null
  /** What precedes the next statement, and is sent with it. */
  #unposted: Unposted = { begin: null, savepoint: null }
  /** Resolves when the transaction has its lock and its ID. */
  #begun: Promise<void> | null = null
  /** Why the connection cannot be used any more. */
  #broken: Error | null = null
  /** COMMIT or ROLLBACK was posted: a statement behind it would run outside of any transaction, without its lock. */
  #isOver = false
  /** The first fault of the transaction, or since its last rollback to a savepoint. */
  #firstFault: StorageError | null = null
  /** The lanes of the transaction; null if it is the only one that writes. */
  #lanes: HeldLanes | null = null
  /** What waits for more that may share its text. */
  readonly #shared: SharedTexts

  private constructor(pool: pg.Pool, client: pg.PoolClient, common: CommonTexts) {
    this.#pool = pool
    this.#client = client
    this.#shared = new SharedTexts(({ text, values }, isAlone) => {
      const name = isAlone || common.use(text) ? { name: nameOf(text) } : {}
      return this.#query({ text: joined(text), values, ...name }) as Promise<pg.QueryResult<Row>>
    })
  }

  static async open(
    pool: pg.Pool,
    { prepare, common }: { prepare: Prepare | null; common: CommonTexts },
  ): Promise<PostgresConnection> {
    const client = await pool.connect().catch((error: unknown) => {
      throw asStorageError(error)
    })
    try {
      await prepare?.(client)
      return new PostgresConnection(pool, client, common)
    } catch (error) {
      client.release(true)
      throw asStorageError(error)
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const part = sharedPart(query)
    if (part !== undefined) return (await this.#shared.add(part)) as QueryResult<R>
    this.#shared.flush()
    const { sql, parameters } = query
    if (this.#waits(sql)) return { rows: [] }
    // The functions for sets have checked that the lanes cover it; no other statement says what it needs.
    if (!isConstant(query) && !sql.startsWith('rollback to ')) this.#lanes?.leave()
    const name = isConstant(query) ? { name: nameOf(sql) } : {}
    const result = await this.#query({ text: joined(sql), values: parameters as unknown[], ...name })
    const { command, rowCount, rows } = result
    const changes =
      command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE'
    return changes ? { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) } : { rows: rows as R[] }
  }

  streamQuery(): never {
    throw new Error('streaming is not supported: page by key instead')
  }

  /**
   * Queues savepoints, which are sent with the next statement. Of two in a row the later one counts, because nothing happened between them.
   * A rollback to a savepoint that was not sent is a no-op.
   */
  #waits(sql: string): boolean {
    if (sql.startsWith('savepoint ')) {
      this.#unposted.savepoint = sql
      return true
    }
    if (!sql.startsWith('rollback to ')) return false
    this.#firstFault = null
    if (this.#unposted.savepoint === null) return false
    this.#unposted.savepoint = null
    return true
  }

  /**
   * Queues the beginning of the transaction, which is sent with the first statement: it costs no extra round
   * trip, nor do free locks. `onLock` receives how long the wait for the locks took, by the server's clock.
   */
  begin(
    locks: string,
    { lanes, onLock }: { lanes: HeldLanes | null; onLock: (waitedMs: number) => void },
  ): void {
    this.#lanes = lanes
    this.#unposted.begin = () => this.#begin(locks, onLock)
  }

  /** Begins immediately, and resolves when the lock is acquired. */
  async hasBegun(): Promise<void> {
    this.#post()
    try {
      await this.#begun
      this.#begun = null
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Reads the ID of the transaction, by which its outcome can be queried if COMMIT gets no response. */
  async #begin(locks: string, onLock: (waitedMs: number) => void): Promise<void> {
    const known = incarnations.get(this.#client)
    const asked = known === undefined ? `, ${incarnationSql} as incarnation` : ''
    const text = `begin; ${locks}; select pg_current_xact_id()::text as id, ${waitedSql} as waited${asked}`
    const results = (await this.#client.query({ text })) as unknown as pg.QueryResult<Begun>[]
    const { waited, ...transaction } = { incarnation: known, ...results.at(-1)?.rows[0] } as Begun
    incarnations.set(this.#client, transaction.incarnation)
    this.#transaction = transaction
    onLock(waited)
  }

  async commit(): Promise<void> {
    this.#shared.flush()
    try {
      // After an error in the transaction, COMMIT responds with ROLLBACK and no error.
      const committing = this.#query({ text: 'commit' })
      this.#isOver = true
      const { command } = await committing
      if (command !== 'COMMIT') throw asStorageError(new Error('the transaction was rolled back'))
    } catch (error) {
      if (this.#broken === null || this.#transaction === null) throw error
      await askForCommit(this.#pool, this.#transaction)
    }
  }

  /** A lost connection has lost its transaction with it; one that was not sent never began. What waits to be sent is rejected. */
  async rollback(): Promise<void> {
    this.#isOver = true
    this.#shared.flush()
    const isBegun = this.#unposted.begin === null
    this.#unposted = { begin: null, savepoint: null }
    if (isBegun && this.#broken === null) await this.#client.query('rollback').catch(() => undefined)
  }

  /** Never returns a connection to the pool that is still in a transaction: every statement on it would be rejected. */
  release(): void {
    this.#isOver = true
    this.#client.release(this.#broken !== null || this.#client.getTransactionStatus() !== 'I')
  }

  async #query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    if (this.#broken !== null) throw this.#broken
    if (this.#isOver) throw new Error('the transaction of this statement has ended')
    this.#post()
    const result = this.#client.query(this.#begun === null ? query : this.#waitingForLock(query))
    try {
      if (this.#begun !== null) {
        // Not awaited if the transaction failed to begin: that error is a better reason than those of the
        // statements sent with it.
        result.catch(() => undefined)
        await this.#begun
        this.#begun = null
      }
      return await result
    } catch (error) {
      return this.#fail(error)
    }
  }

  /** Sends what precedes the next statement. */
  #post(): void {
    const { begin, savepoint } = this.#unposted
    if (begin === null && savepoint === null) return
    this.#unposted = { begin: null, savepoint: null }
    if (begin !== null) this.#begun = begin()
    // It fails if the transaction has failed, which the next statement reports too.
    if (savepoint !== null) this.#client.query(savepoint).catch(() => undefined)
  }

  /**
   * Throws the reason of a failure. Of statements sent together, the first that fails has the reason; later
   * ones are rejected because of it, and report nothing else. The reason is thrown regardless of which of
   * them is awaited first.
   */
  #fail(error: unknown): never {
    const fault = asStorageError(error)
    if (fault.fault === 'unavailable') this.#broken ??= fault
    const isFollower = (error as { code?: string }).code === inFailedTransaction
    if (isFollower && this.#firstFault !== null) throw this.#firstFault
    if (!isFollower) this.#firstFault ??= fault
    throw fault
  }

  /** Extends the timeout by the wait for the lock, which is not part of the statement's own time. */
  #waitingForLock(query: pg.QueryConfig): pg.QueryConfig {
    const { query_timeout: timeoutMs } = this.#pool.options
    return timeoutMs === undefined ? query : ({ ...query, query_timeout: 2 * timeoutMs } as pg.QueryConfig)
  }
}

/** SQLSTATE in_failed_sql_transaction. */
const inFailedTransaction = '25P02'

interface Unposted {
  begin: (() => Promise<void>) | null
  savepoint: string | null
}

interface Begun extends OpenTransaction {
  /** Milliseconds until the lock was acquired. */
  waited: number
}

/** In a transaction, `now()` is the time at which it was requested to begin. */
const waitedSql = 'extract(epoch from clock_timestamp() - now()) * 1000'
