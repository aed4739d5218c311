import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * The thread that owns one SQLite connection. Commands arrive in bundles and are answered in bundles, strictly in order, so
 * that an fsync never stops the HTTP loop and a pipeline of statements costs one wake-up on each side.
 */
export interface Command {
  id: number
  op: 'all' | 'run' | 'each-run' | 'each-all' | 'exec' | 'check-full-sync' | 'wal-bytes'
  sql: string
  values: unknown[]
}

export interface Answer {
  id: number
  columns?: string[]
  rows?: unknown[][]
  changes?: number
  error?: { message: string; code: number; inTransaction: boolean }
}

export interface WorkerSettings {
  file: string
  readOnly: boolean
  busyTimeoutMs: number
  cacheKiB: number
}

const settings = workerData as WorkerSettings
const port = parentPort
if (port === null) throw new Error('sqlite-worker runs as a worker thread only')

const database = new DatabaseSync(settings.file, { readOnly: settings.readOnly, timeout: settings.busyTimeoutMs })
if (!settings.readOnly) database.exec('pragma journal_mode = wal; pragma synchronous = full;')
// A checkpoint each 16 MiB instead of 4: pages that are written again meanwhile are copied once.
if (!settings.readOnly) database.exec('pragma wal_autocheckpoint = 4096;')
database.exec(`pragma foreign_keys = on; pragma cache_size = -${settings.cacheKiB}; pragma temp_store = memory;`)

/** Texts are few and constant but for Kysely's lists; the bound keeps a hostile variety from growing without end. */
const maxStatements = 400
const statements = new Map<string, StatementSync>()

function prepare(sql: string): StatementSync {
  const known = statements.get(sql)
  if (known !== undefined) return known
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  if (statements.size >= maxStatements) statements.delete(statements.keys().next().value as string)
  statements.set(sql, statement)
  return statement
}

function execute({ id, op, sql, values }: Command): Answer {
  switch (op) {
    case 'exec':
      database.exec(sql)
      return { id }
    case 'run':
      return { id, changes: Number(prepare(sql).run(...(values as string[])).changes) }
    case 'all': {
      const statement = prepare(sql)
      const rows = statement.all(...(values as string[])) as unknown as unknown[][]
      return { id, rows, columns: rows.length > 0 ? statement.columns().map((column) => column.name) : [] }
    }
    case 'each-run': {
      const statement = prepare(sql)
      let changes = 0
      for (const row of values as string[][]) changes += Number(statement.run(...row).changes)
      return { id, changes }
    }
    case 'each-all': {
      const statement = prepare(sql)
      const rows: unknown[][] = []
      for (const row of values as string[][]) {
        for (const found of statement.all(...row) as unknown as unknown[][]) rows.push(found)
      }
      return { id, rows, columns: rows.length > 0 ? statement.columns().map((column) => column.name) : [] }
    }
    case 'check-full-sync':
      return { id, changes: Number((database.prepare('pragma synchronous').get() as { synchronous: number }).synchronous) }
    case 'wal-bytes':
      return { id, changes: statSync(`${settings.file}-wal`, { throwIfNoEntry: false })?.size ?? 0 }
  }
}

port.on('message', (commands: Command[]) => {
  const answers: Answer[] = []
  for (const command of commands) {
    try {
      answers.push(execute(command))
    } catch (error) {
      const { message, errcode } = error as Error & { errcode?: number }
      answers.push({ id: command.id, error: { message, code: errcode ?? 0, inTransaction: database.isTransaction } })
    }
  }
  port.postMessage(answers)
})
