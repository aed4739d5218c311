import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import {
  type Db,
  linesFor,
  type Row,
  type SelectEach,
  type SetAdapter,
  type SetStatements,
  type Tx,
  type Value,
} from '../seam/dialect.ts'
import type { Statement, StatementResult } from './sqlite-connection.ts'
import { rowsAsObjects } from './rows-as-objects.ts'

/** Marks a query that runs once per row of `parameters`. */
const eachRow = Symbol('each-row')
type EachQuery = CompiledQuery<Row> & { [eachRow]?: true }

const each = (sql: string, rows: readonly Value[][]): EachQuery => ({
  ...CompiledQuery.raw(sql, rows as unknown[]),
  [eachRow]: true,
})

/**
 * Runs statements strictly in order: a thread at the other end of a port, or the connection itself inside
 * that thread.
 */
export interface SqliteExecutor {
  execute(statement: Statement): Promise<StatementResult>
  transaction(step: 'begin' | 'commit' | 'rollback'): Promise<void>
  close(): Promise<void>
}

/**
 * Kysely over one executor, which responds in order, so that all callers share the connection at the same
 * time: the reader pipelines, and the writer's own queue (writer.ts) keeps units together from begin to
 * commit. Kysely's stock adapter would serialise every query with one mutex and wake all waiters at each
 * release: 1.2 ms per query with ten thousand waiting.
 */
export function sqliteDialect(executor: SqliteExecutor): Dialect {
  const connection: DatabaseConnection = {
    executeQuery: (query) => execute(executor, query as EachQuery),
    streamQuery() {
      throw new Error('streaming is not supported: page by key instead')
    },
  }
  const driver: Driver = {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: async () => executor.transaction('begin'),
    commitTransaction: async () => executor.transaction('commit'),
    rollbackTransaction: async () => executor.transaction('rollback'),
    releaseConnection: async () => undefined,
    destroy: async () => executor.close(),
  }
  return {
    createAdapter: () => new BatchingSqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

async function execute<R>(executor: SqliteExecutor, query: EachQuery): Promise<QueryResult<R>> {
  const returnsRows =
    query.query.kind === 'SelectQueryNode' || /^\s*(select|with|pragma)\b|\breturning\b/i.test(query.sql)
  const op = query[eachRow] ? (returnsRows ? 'each-all' : 'each-run') : returnsRows ? 'all' : 'run'
  const {
    columns = [],
    rows = [],
    changes,
  } = await executor.execute({ op, sql: query.sql, values: query.parameters })
  const result = { rows: rowsAsObjects(columns, rows) as R[] }
  return changes === undefined ? result : { ...result, numAffectedRows: BigInt(changes) }
}

class BatchingSqliteAdapter extends SqliteAdapter implements SetAdapter {
  readonly sets: SetStatements = sqliteSets
  readonly snapshotStart = 'begin'
  readonly clockQuery = null
  readonly clusterQuery = null

  override get supportsMultipleConnections(): boolean {
    return true
  }
}

const changed = async (db: Tx, sql: string, rows: readonly Value[][]): Promise<number> =>
  Number((await db.executeQuery(each(sql, rows))).numAffectedRows ?? 0n)

const placeholders = (columns: readonly string[]): string => columns.map(() => '?').join(', ')
const equals = (columns: readonly string[], separator: string): string =>
  columns.map((column) => `${column} = ?`).join(separator)

/** Those of constant statements are made once: it takes longer than to send them. */
const texts = new WeakMap<SelectEach, string>()

function textOf(statement: SelectEach): string {
  const { sql, inputs } = statement
  const known = texts.get(statement)
  if (known !== undefined) return known
  const text = linesFor('sqlite', sql).replace(
    /:([a-z_]+)/g,
    (_, name: string) => `?${inputs.indexOf(name) + 1}`,
  )
  texts.set(statement, text)
  return text
}

const sqliteSets: SetStatements = {
  learnTables: async () => undefined,
  together: (_, unit) => unit(),
  insertRows: (db, table, columns, rows, onConflict) =>
    changed(
      db,
      `insert ${onConflict === 'ignore' ? 'or ignore ' : ''}into ${table} (${columns.join(', ')}) values (${placeholders(columns)})`,
      rows,
    ),
  updateRows: (db, table, columns, key, rows) =>
    changed(db, `update ${table} set ${equals(columns, ', ')} where ${equals(key, ' and ')}`, rows),
  deleteRows: (db, table, key, rows) =>
    changed(db, `delete from ${table} where ${equals(key, ' and ')}`, rows),
  adjustRows(db, table, key, amounts, rows) {
    const sums = amounts.map((column) => `${column} = ${column} + ?`).join(', ')
    return changed(db, `update ${table} set ${sums} where ${equals(key, ' and ')}`, rows)
  },
  addToRows(db, table, key, amounts, lowest, rows) {
    const columns = [...key, ...amounts, ...lowest]
    const sums = amounts.map((column) => `${column} = ${column} + excluded.${column}`)
    const minima = lowest.map((column) => `${column} = min(${column}, excluded.${column})`)
    return changed(
      db,
      `insert into ${table} (${columns.join(', ')}) values (${placeholders(columns)})
       on conflict (${key.join(', ')}) do update set ${[...sums, ...minima].join(', ')}`,
      rows,
    )
  },
  async selectEach(db: Db | Tx, statement: SelectEach, inputs: readonly Value[][]): Promise<Row[]> {
    return (await db.executeQuery<Row>(each(textOf(statement), inputs))).rows
  },
}
