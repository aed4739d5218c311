import { setFlagsFromString } from 'node:v8'
import type { Worker } from 'node:worker_threads'
import { resetHeapFlags } from '../../process/garbage.ts'
import { startProgramThread } from '../../process/program-files.ts'
import type { Damage } from '../seam/damage.ts'
import { StorageError, type StorageFault } from '../seam/dialect.ts'
import { faultOf } from './sqlite-faults.ts'
import type { Statement } from './sqlite-connection.ts'
import type { Answer, Request, WorkerSettings } from './sqlite-protocol.ts'

interface Pending {
  resolve: (answer: Answer) => void
  reject: (error: Error) => void
}

/** `Omit` that preserves the members of a union. */
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

// The flag that sizes the nursery of the main thread, which already has its own, would override the limits of
// the threads. It is reset before any thread of this process runs: flags belong to the process, and a thread
// that starts meanwhile would read them.
setFlagsFromString('--max-semi-space-size=0')

/**
 * Nursery size of each thread. Objects of a batch live until its flush: with 4 MB the writer spent a quarter
 * of a core on moving them. A reader creates little.
 */
const nurseryMb = { writer: 24, reader: 4 } as const

/**
 * One message to the thread carries the output of a turn of the event loop, because waking it costs about 15
 * µs, up to these limits: a turn may bring a request of each of 64 connections, which would then wait as one
 * convoy for this thread and the other in turn. Longer texts would become large objects of V8, which only a
 * full collection frees.
 */
const maxRequestsInMessage = 32
const maxCharactersInMessage = 65_536

/** Throws if the system has no thread left. */
function startWorker(settings: WorkerSettings): Worker {
  const setHeapFlags = resetHeapFlags()
  try {
    const worker = startProgramThread('sqlite-worker', {
      workerData: settings,
      resourceLimits: { maxYoungGenerationSizeMb: settings.readOnly ? nurseryMb.reader : nurseryMb.writer },
    })
    return worker.once('online', setHeapFlags).once('exit', setHeapFlags)
  } catch (error) {
    setHeapFlags()
    throw error
  }
}

/** This side of a `sqlite-worker`. */
export class SqliteThread {
  readonly #worker: Worker
  readonly #damage: Damage
  readonly #pending = new Map<number, Pending>()
  #outbox: string[] = []
  #outboxLength = 0
  #nextId = 1
  readonly #exited: Promise<unknown>
  #ended: StorageError | null = null
  #closing = false
  #resolveDied: (error: StorageError) => void = () => undefined
  /** Resolves if the thread ends without `close`: it cannot be used any more. */
  readonly died = new Promise<StorageError>((resolve) => (this.#resolveDied = resolve))

  /** `damage` is that of the database, shared by all its threads. */
  constructor(settings: WorkerSettings, damage: Damage) {
    this.#damage = damage
    this.#worker = startWorker(settings)
    // Responses are text. Other messages are from Node.js: with --watch it reports here what the thread
    // imports (nodejs/node#65044).
    this.#worker.on('message', (bundle: unknown) => {
      if (typeof bundle !== 'string') return
      for (const answer of JSON.parse(bundle) as Answer[]) this.#settle(answer)
    })
    this.#worker.on('error', (error: Error & { errcode?: number }) =>
      this.#end(
        `the database thread failed: ${error.message}`,
        error.errcode === undefined ? 'unavailable' : faultOf(error.errcode),
      ),
    )
    this.#exited = new Promise((resolve) => this.#worker.once('exit', resolve))
    this.#worker.on('exit', () => this.#end('the database is closed', 'closed'))
    this.#worker.unref()
  }

  /** Runs one statement after all earlier ones. Rejects with a `StorageError`. */
  execute = (statement: Statement): Promise<Answer> => this.#send({ kind: 'statement', ...statement })

  /** Begins or ends the transaction of this side. None begins on a damaged database. */
  transaction = async (step: 'begin' | 'commit' | 'rollback'): Promise<void> => {
    if (step === 'begin') this.#refuseDamaged()
    await this.#send({ kind: step })
  }

  /**
   * Runs a unit of the units module in the next transaction and returns its result after the flush. Inputs
   * and results are JSON.
   */
  async runUnit(name: string, input: unknown): Promise<unknown> {
    this.#refuseDamaged()
    return (await this.#send({ kind: 'unit', name, input })).result
  }

  /**
   * Lets the thread exit by itself, after all earlier requests: to terminate it from outside during a garbage
   * collection can crash the process.
   */
  close = async (): Promise<void> => {
    this.#closing = true
    this.#worker.ref()
    this.#send({ kind: 'end' }).catch(() => undefined)
    await this.#exited
  }

  #send(request: WithoutId<Request>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) return reject(this.#ended)
      const id = this.#nextId++
      this.#pending.set(id, { resolve, reject })
      if (this.#pending.size === 1) this.#worker.ref()
      const text = JSON.stringify({ ...request, id })
      this.#outbox.push(text)
      this.#outboxLength += text.length
      if (this.#outbox.length === 1) setImmediate(() => this.#flush())
      if (this.#outbox.length === maxRequestsInMessage || this.#outboxLength > maxCharactersInMessage)
        this.#flush()
    })
  }

  #refuseDamaged(): void {
    if (this.#damage.found !== null) throw this.#damage.found
  }

  #flush(): void {
    const requests = this.#outbox
    if (requests.length === 0) return
    this.#outbox = []
    this.#outboxLength = 0
    if (this.#ended === null) this.#worker.postMessage(`[${requests.join()}]`)
  }

  #settle(answer: Answer): void {
    const pending = this.#pending.get(answer.id)
    this.#pending.delete(answer.id)
    if (this.#pending.size === 0) this.#worker.unref()
    if (answer.error === undefined) return pending?.resolve(answer)
    const { name, message, fault, transactionLost } = answer.error
    if (fault === undefined) return pending?.reject(Object.assign(new Error(message), { name }))
    const error = new StorageError(message, fault as StorageFault, transactionLost === true)
    this.#damage.record(error)
    pending?.reject(error)
  }

  #end(message: string, fault: StorageFault): void {
    this.#ended ??= new StorageError(message, fault, true)
    if (!this.#closing) this.#resolveDied(this.#ended)
    for (const { reject } of this.#pending.values()) reject(this.#ended)
    this.#pending.clear()
  }
}
