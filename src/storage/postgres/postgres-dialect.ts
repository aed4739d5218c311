import { createHash } from 'node:crypto'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type PrimitiveValueListNode,
  type QueryResult,
} from 'kysely'
import type pg from 'pg'
import type { RecentTimes } from '../../runtime/recent-times.ts'
import type { SetAdapter, SetStatements, StorageError } from '../seam/dialect.ts'
import { endPool } from './postgres-client.ts'
import { askForCommit, incarnationSql, type OpenTransaction } from './postgres-commit.ts'
import { asStorageError } from './postgres-faults.ts'
import { clusterQuery } from './postgres-safety.ts'
import { columnTypesReader, isConstant, postgresSets } from './postgres-sets.ts'

/** How transactions of a pool begin. */
export interface TransactionStart {
  /** What is run right behind `begin`, in the same round trip. */
  lock: string
  /** How long each commit took, flush included. */
  flushTimes: RecentTimes
}

/** What is done with a connection each time it is lent, before its first statement. */
export type Prepare = (client: pg.PoolClient) => Promise<void>

/** Kysely over a pool of pg. Errors are `StorageError`s; only a pool with a `start` has transactions. */
export function postgresDialect(
  pool: pg.Pool,
  start: TransactionStart | null = null,
  prepare: Prepare | null = null,
): Dialect {
  const sets = postgresSets(columnTypesReader())
  let isContended = false
  const driver: Driver = {
    init: async () => undefined,
    acquireConnection: async () => PostgresConnection.open(pool, prepare),
    beginTransaction: async (connection) => {
      if (start === null) throw new Error('a transaction is a unit of the writer')
      const begun = connection as PostgresConnection
      begun.begin(start.lock, (waitedMs) => (isContended = waitedMs > contendedFromMs))
      // Where others have the lock, what comes until it is free shares the transaction: worth more than the round trip.
      if (isContended) await begun.hasBegun()
    },
    commitTransaction: async (connection) => {
      const startedMs = performance.now()
      await (connection as PostgresConnection).commit()
      start?.flushTimes.add(performance.now() - startedMs)
    },
    rollbackTransaction: async (connection) => (connection as PostgresConnection).rollback(),
    releaseConnection: async (connection) => (connection as PostgresConnection).release(),
    destroy: () => endPool(pool),
  }
  return {
    createAdapter: () => new SettingPostgresAdapter(sets),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new EmptyListCompiler(),
  }
}

/** A lock that nobody holds is taken in a tenth of it. */
const contendedFromMs = 1

class SettingPostgresAdapter extends PostgresAdapter implements SetAdapter {
  readonly sets: SetStatements
  readonly snapshotStart = 'begin isolation level repeatable read read only'
  readonly clusterQuery = clusterQuery
  readonly clockQuery = 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now'

  constructor(sets: SetStatements) {
    super()
    this.sets = sets
  }
}

/** PostgreSQL refuses `in ()`, which finds nothing on SQLite; `in (null)` finds nothing either. */
class EmptyListCompiler extends PostgresQueryCompiler {
  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    if (node.values.length === 0) this.append('(null)')
    else super.visitPrimitiveValueList(node)
  }
}

/** Constant texts are prepared once for each connection; names are short, for PostgreSQL cuts them at 63 octets. */
const names = new Map<string, string>()
function nameOf(sql: string): string {
  const known = names.get(sql)
  if (known !== undefined) return known
  const name = createHash('sha256').update(sql).digest('base64url').slice(0, 22)
  names.set(sql, name)
  return name
}

/** Of each connection the server that it leads to: no session outlives a recovery. */
const incarnations = new WeakMap<pg.PoolClient, string>()

/** One connection, lent to one transaction or one statement. */
class PostgresConnection implements DatabaseConnection {
  readonly #pool: pg.Pool
  readonly #client: pg.PoolClient
  #transaction: OpenTransaction | null = null
  /** What stands before the next statement, and crosses with it. */
  #unposted: Unposted = { begin: null, savepoint: null }
  /** Settles when the transaction has its lock and its number. */
  #begun: Promise<void> | null = null
  /** Why it cannot be used any more. */
  #broken: Error | null = null
  /** What failed first of the transaction, or since it went back to a savepoint. */
  #firstFault: StorageError | null = null

  private constructor(pool: pg.Pool, client: pg.PoolClient) {
    this.#pool = pool
    this.#client = client
  }

  static async open(pool: pg.Pool, prepare: Prepare | null): Promise<PostgresConnection> {
    const client = await pool.connect().catch((error: unknown) => {
      throw asStorageError(error)
    })
    try {
      await prepare?.(client)
      return new PostgresConnection(pool, client)
    } catch (error) {
      client.release(true)
      throw asStorageError(error)
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql, parameters } = query
    if (this.#waits(sql)) return { rows: [] }
    const name = isConstant(query) ? { name: nameOf(sql) } : {}
    const text = sql.replace(/\bcross join (\w+ \w+) on\b/g, 'join $1 on')
    const result = await this.#query({ text, values: parameters as unknown[], ...name })
    const { command, rowCount, rows } = result
    const changes =
      command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE'
    return changes ? { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) } : { rows: rows as R[] }
  }

  streamQuery(): never {
    throw new Error('streaming is not supported: page by key instead')
  }

  /**
   * Savepoints cross with the statement behind them; of two in a row the later one counts, for nothing was done between them. To go back to one
   * that has not crossed is to do nothing.
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
   * Crosses with the first statement: a transaction costs no round trip more for its beginning, nor for its lock where nobody else holds it.
   * `onLock` hears how long the wait for the lock took, by the server's clock.
   */
  begin(lock: string, onLock: (waitedMs: number) => void): void {
    this.#unposted.begin = () => this.#begin(lock, onLock)
  }

  /** Begins at once, and settles when the lock is there. */
  async hasBegun(): Promise<void> {
    this.#post()
    try {
      await this.#begun
      this.#begun = null
    } catch (error) {
      this.#fail(error)
    }
  }

  /** The number of the transaction tells what became of it should COMMIT get no answer. */
  async #begin(lock: string, onLock: (waitedMs: number) => void): Promise<void> {
    const known = incarnations.get(this.#client)
    const asked = known === undefined ? `, ${incarnationSql} as incarnation` : ''
    const text = `begin; ${lock}; select pg_current_xact_id()::text as id, ${waitedSql} as waited${asked}`
    const results = (await this.#client.query({ text })) as unknown as pg.QueryResult<Begun>[]
    const { waited, ...transaction } = { incarnation: known, ...results.at(-1)?.rows[0] } as Begun
    incarnations.set(this.#client, transaction.incarnation)
    this.#transaction = transaction
    onLock(waited)
  }

  async commit(): Promise<void> {
    try {
      // What failed within answers COMMIT with ROLLBACK and no error.
      const { command } = await this.#query({ text: 'commit' })
      if (command !== 'COMMIT') throw asStorageError(new Error('the transaction was rolled back'))
    } catch (error) {
      if (this.#broken === null || this.#transaction === null) throw error
      await askForCommit(this.#pool, this.#transaction)
    }
  }

  /** A connection that is gone has taken its transaction with it; what has not crossed was never begun. */
  async rollback(): Promise<void> {
    const isBegun = this.#unposted.begin === null
    this.#unposted = { begin: null, savepoint: null }
    if (isBegun && this.#broken === null) await this.#client.query('rollback').catch(() => undefined)
  }

  /** The next one is lent no connection that is within a transaction still: every statement on it would be refused. */
  release(): void {
    this.#client.release(this.#broken !== null || this.#client.getTransactionStatus() !== 'I')
  }

  async #query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    if (this.#broken !== null) throw this.#broken
    this.#post()
    const result = this.#client.query(this.#begun === null ? query : this.#waitingForLock(query))
    try {
      if (this.#begun !== null) {
        // Nobody waits for it where the transaction did not come about, which says why better than what crossed with it.
        result.catch(() => undefined)
        await this.#begun
        this.#begun = null
      }
      return await result
    } catch (error) {
      return this.#fail(error)
    }
  }

  /** Posts what stands before the next statement. */
  #post(): void {
    const { begin, savepoint } = this.#unposted
    if (begin === null && savepoint === null) return
    this.#unposted = { begin: null, savepoint: null }
    if (begin !== null) this.#begun = begin()
    // It fails where the transaction has failed, which the statement behind it says too.
    if (savepoint !== null) this.#client.query(savepoint).catch(() => undefined)
  }

  /**
   * Of statements that crossed together the first that fails has the reason; those behind it are refused because of it, and say nothing else. Whichever
   * of them is looked at first, the reason is told.
   */
  #fail(error: unknown): never {
    const fault = asStorageError(error)
    if (fault.fault === 'unavailable') this.#broken ??= fault
    const isFollower = (error as { code?: string }).code === inFailedTransaction
    if (isFollower && this.#firstFault !== null) throw this.#firstFault
    if (!isFollower) this.#firstFault ??= fault
    throw fault
  }

  /** The wait for the lock takes its own time, and no other's. */
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
  /** Milliseconds until the lock was there. */
  waited: number
}

/** Within a transaction `now()` is when it was asked to begin. */
const waitedSql = 'extract(epoch from clock_timestamp() - now()) * 1000'
