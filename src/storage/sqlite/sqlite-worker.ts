import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../runtime/clock.ts'
import { collectOnceStarted } from '../../process/garbage.ts'
import { StorageError } from '../seam/dialect.ts'
import { guardConnection } from './guarded-connection.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import type { Answer, Request, UnitRunner, WorkerSettings } from './sqlite-protocol.ts'

/**
 * The thread that owns one SQLite connection, so that a flush never blocks the HTTP loop. The writing one
 * also runs the writer and the hot units (sqlite-units.ts): a batch crosses once each way, and there is no
 * round trip between begin and commit.
 */
const settings = workerData as WorkerSettings
const port = parentPort
if (port === null) throw new Error('sqlite-worker runs as a worker thread only')
const { execute, executor } = guardConnection(new SqliteConnection(settings))
let outbox: Answer[] = []
collectOnceStarted(systemClock)

function answer(message: Answer): void {
  outbox.push(message)
  if (outbox.length > 1) return
  setImmediate(() => {
    const messages = outbox
    outbox = []
    port?.postMessage(JSON.stringify(messages))
  })
}

function answerError(id: number, error: unknown): void {
  const { name, message } = error as Error
  const details =
    error instanceof StorageError ? { fault: error.fault, transactionLost: error.transactionLost } : {}
  answer({ id, error: { name, message, ...details } })
}

// Not for readers: Kysely and the units would cost 30 MB and a fifth of a second.
const runner: UnitRunner | null = settings.readOnly
  ? null
  : await (
      await import('./sqlite-units.ts')
    ).createUnitRunner({
      executor,
      answer,
      answerError,
      unitsModule: settings.unitsModule,
      maxMergedWeight: settings.maxMergedWeight ?? 1,
    })

// Bundles are sent as JSON text, which is faster than cloning nested arrays.
port.on('message', (bundle: string) => {
  for (const request of JSON.parse(bundle) as Request[]) {
    if (request.kind === 'end') process.exit()
    try {
      if (request.kind === 'statement') answer({ id: request.id, ...execute(request) })
      else if (runner === null) throw new StorageError('this connection only reads', 'other', false)
      else runner.handle(request)
    } catch (error) {
      answerError(request.id, error)
    }
  }
})
