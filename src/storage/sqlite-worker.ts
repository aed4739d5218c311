import { Kysely } from 'kysely'
import { parentPort, workerData } from 'node:worker_threads'
import { StorageError, type Units } from './dialect.ts'
import type { Database } from './schema.ts'
import {
  type ConnectionSettings,
  SqliteConnection,
  type Statement,
  type StatementResult,
} from './sqlite-connection.ts'
import { faultOf } from './sqlite-faults.ts'
import { sqliteDialect } from './sqlite.ts'
import { Writer } from './writer.ts'

/**
 * The thread that owns one SQLite connection, so that a flush never stops the HTTP loop. The writing one also runs the writer and the hot
 * units: a batch crosses once each way, and no round trip stands between begin and commit. A transaction of the other side is one unit
 * of this writer, open until it is ended there.
 */
export type Request =
  | ({ id: number; kind: 'statement' } & Statement)
  | { id: number; kind: 'unit'; name: string; input: unknown }
  | { id: number; kind: 'begin' | 'commit' | 'rollback' }

export interface Answer extends StatementResult {
  id: number
  result?: unknown
  error?: { message: string; name: string; fault?: string; transactionLost?: boolean }
}

export interface WorkerSettings extends ConnectionSettings {
  /** A module that exports `units`, for the thread that runs them. */
  unitsModule?: string
}

const settings = workerData as WorkerSettings
const port = parentPort
if (port === null) throw new Error('sqlite-worker runs as a worker thread only')

const connection = new SqliteConnection(settings)
const local = async (statement: Statement): Promise<StatementResult> => executeHere(statement)
const transaction = async (step: 'begin' | 'commit' | 'rollback'): Promise<void> =>
  void executeHere({ op: 'exec', sql: step === 'begin' ? 'begin immediate' : step, values: [] })
const writer = new Writer(
  new Kysely<Database>({
    dialect: sqliteDialect({ execute: local, transaction, close: async () => undefined }),
  }),
  'unit',
)
const units =
  settings.unitsModule === undefined ? {} : ((await import(settings.unitsModule)) as { units: Units }).units

let outbox: Answer[] = []
/** The transaction of the other side: how to end it, and who waits for that. */
let session: { end: (error: Error | null) => void; endId: number } | null = null

function executeHere(statement: Statement): StatementResult {
  try {
    return connection.execute(statement)
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    throw new StorageError(message, faultOf(errcode ?? 0), !connection.inTransaction)
  }
}

function answer(message: Answer): void {
  outbox.push(message)
  if (outbox.length === 1) setImmediate(flush)
}

function flush(): void {
  const messages = outbox
  outbox = []
  port?.postMessage(JSON.stringify(messages))
}

function answerError(id: number, error: unknown): void {
  const { name, message } = error as Error
  const told =
    error instanceof StorageError ? { fault: error.fault, transactionLost: error.transactionLost } : {}
  answer({ id, error: { name, message, ...told } })
}

class RolledBack extends Error {}

/** Opens the other side's transaction as a unit that lasts until it says commit or rollback. */
function begin(id: number): void {
  const opened = { end: (_error: Error | null): void => undefined, endId: id }
  writer
    .write(
      () =>
        new Promise<void>((resolve, reject) => {
          opened.end = (error) => (error === null ? resolve() : reject(error))
          session = opened
          answer({ id })
        }),
    )
    .then(() => answer({ id: opened.endId }))
    .catch((error: unknown) =>
      error instanceof RolledBack ? answer({ id: opened.endId }) : answerError(opened.endId, error),
    )
}

function end(id: number, error: Error | null): void {
  if (session === null)
    return answerError(id, new StorageError('there is no transaction to end', 'other', true))
  session.endId = id
  session.end(error)
  session = null
}

function runUnit(id: number, name: string, input: unknown): void {
  const unit = units[name]
  if (unit === undefined) return answerError(id, new Error(`there is no unit ${name}`))
  writer
    .write((tx) => unit(tx, input as never))
    .then((result) => answer({ id, result }))
    .catch((error: unknown) => answerError(id, error))
}

// Bundles cross as JSON text, which is faster than cloning nested arrays.
port.on('message', (bundle: string) => {
  for (const request of JSON.parse(bundle) as Request[]) {
    switch (request.kind) {
      case 'statement':
        try {
          answer({ id: request.id, ...executeHere(request) })
        } catch (error) {
          answerError(request.id, error)
        }
        break
      case 'unit':
        runUnit(request.id, request.name, request.input)
        break
      case 'begin':
        begin(request.id)
        break
      case 'commit':
        end(request.id, null)
        break
      case 'rollback':
        end(request.id, new RolledBack())
        break
    }
  }
})
