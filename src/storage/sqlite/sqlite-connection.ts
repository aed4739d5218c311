import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { RecentTimes } from '../../runtime/recent-times.ts'

/** Settings of one connection to the embedded database. */
export interface ConnectionSettings {
  file: string
  readOnly: boolean
  busyTimeoutMs: number
  cacheKiB: number
}

/** A statement of one connection. `each-…` runs it once per row of `values`. */
export interface Statement {
  op: 'all' | 'run' | 'each-run' | 'each-all' | 'exec' | 'synchronous' | 'wal-bytes' | 'flush-times'
  sql: string
  values: readonly unknown[]
}

export interface StatementResult {
  columns?: string[]
  rows?: unknown[][]
  changes?: number
}

type Bound = (string | number | null)[]

/** Texts are few and constant, except for Kysely's lists; the limit bounds memory for a hostile variety. */
const maxStatements = 400

/** One connection to SQLite with its prepared statements. It blocks its thread. */
export class SqliteConnection {
  readonly #database: DatabaseSync
  readonly #file: string
  readonly #statements = new Map<string, StatementSync>()

  constructor(settings: ConnectionSettings) {
    this.#file = settings.file
    this.#database = new DatabaseSync(settings.file, {
      readOnly: settings.readOnly,
      timeout: settings.busyTimeoutMs,
    })
    if (!settings.readOnly) {
      // A checkpoint per 16 MiB instead of 4: pages that are rewritten meanwhile are copied once. Deleted
      // content is overwritten, so that erased data is in no free page either: 1.2 µs of CPU per message
      // (docs/decisions/0019-erasure.md).
      this.#database.exec(
        'pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 4096; pragma secure_delete = on',
      )
    }
    this.#database.exec(
      `pragma foreign_keys = on; pragma cache_size = -${settings.cacheKiB}; pragma temp_store = memory`,
    )
  }

  /** Durations of recent commits. */
  readonly flushTimes = new RecentTimes()

  get inTransaction(): boolean {
    return this.#database.isOpen && this.#database.isTransaction
  }

  execute({ op, sql, values }: Statement): StatementResult {
    switch (op) {
      case 'exec':
        this.#database.exec(sql)
        return {}
      case 'run':
        return { changes: Number(this.#prepare(sql).run(...(values as Bound)).changes) }
      case 'all': {
        const statement = this.#prepare(sql)
        return withColumns(statement, statement.all(...(values as Bound)) as unknown as unknown[][])
      }
      case 'each-run': {
        const statement = this.#prepare(sql)
        let changes = 0
        for (const row of values as Bound[]) changes += Number(statement.run(...row).changes)
        return { changes }
      }
      case 'each-all': {
        const statement = this.#prepare(sql)
        const rows: unknown[][] = []
        for (const row of values as Bound[]) rows.push(...(statement.all(...row) as unknown as unknown[][]))
        return withColumns(statement, rows)
      }
      case 'flush-times':
        return { rows: [this.flushTimes.percentiles([0.5, 0.99])] }
      case 'synchronous':
        return {
          changes: (this.#database.prepare('pragma synchronous').get() as { synchronous: number })
            .synchronous,
        }
      case 'wal-bytes':
        return { changes: statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0 }
    }
  }

  /** Closes the file; the last connection to it checkpoints the log. No statement can run afterwards. */
  close(): void {
    this.#statements.clear()
    if (this.#database.isOpen) this.#database.close()
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(plannedOnce(sql))
    statement.setReturnArrays(true)
    const oldest = this.#statements.keys().next().value
    if (this.#statements.size >= maxStatements && oldest !== undefined) this.#statements.delete(oldest)
    this.#statements.set(sql, statement)
    return statement
  }
}

/**
 * Returns a statement that SQLite plans once. It looks at the value of a `limit ?` when it plans, and plans again before each run where one is
 * bound: 70 µs for the statement of a claim, which then takes 4. A sum is not looked at.
 */
export const plannedOnce = (sql: string): string => sql.replace(/\blimit (\?\d*)/g, 'limit ($1 + 0)')

const withColumns = (statement: StatementSync, rows: unknown[][]): StatementResult =>
  rows[0] === undefined ? { rows, columns: [] } : { rows, columns: columnsOf(statement, rows[0].length) }

/** Asked for once: those of a message take Node.js a tenth of the time of a page of history. */
const known = new WeakMap<StatementSync, string[]>()

/** A statement that reads all columns of a table has more once a migration has added one. */
function columnsOf(statement: StatementSync, count: number): string[] {
  const before = known.get(statement)
  if (before?.length === count) return before
  const columns = statement.columns().map(({ name }) => name)
  known.set(statement, columns)
  return columns
}
