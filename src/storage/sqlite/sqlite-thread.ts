import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { takeHeapFlagsBack } from '../../process/garbage.ts'
import { programModule } from '../../process/program-files.ts'
import type { Damage } from '../seam/damage.ts'
import { StorageError, type StorageFault } from '../seam/dialect.ts'
import { faultOf } from './sqlite-faults.ts'
import type { Statement } from './sqlite-connection.ts'
import type { Answer, Request, WorkerSettings } from './sqlite-protocol.ts'

interface Pending {
  resolve: (answer: Answer) => void
  reject: (error: Error) => void
}

/** `Omit` that keeps the members of a union apart. */
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

// The flag that sizes the nursery of the main thread, which has its own by now, would hold for the threads too, whatever they are given. Taken
// back before any thread of this process runs: flags are the process's, and one that starts meanwhile would read them.
setFlagsFromString('--max-semi-space-size=0')

/**
 * The nursery of each thread. What a batch makes lives until its flush: with 4 MB the writer spent a quarter of a core on moving it about.
 * A reader makes little.
 */
const nurseryMb = { writer: 24, reader: 4 } as const

/**
 * One message to the thread carries what a turn of the event loop produced, because waking it costs some 15 µs, up to these bounds: a turn may
 * bring a request of each of 64 connections, and they would then wait as one convoy for this thread and for the other in turns. Longer texts
 * would lie among V8's large objects, which only a full collection frees.
 */
const maxRequestsInMessage = 32
const maxCharactersInMessage = 65_536

/** Throws where the system has no thread left to give. */
function startWorker(settings: WorkerSettings): Worker {
  const setHeapFlags = takeHeapFlagsBack()
  try {
    const worker = new Worker(programModule('sqlite-worker'), {
      workerData: settings,
      resourceLimits: { maxYoungGenerationSizeMb: settings.readOnly ? nurseryMb.reader : nurseryMb.writer },
    })
    return worker.once('online', setHeapFlags).once('exit', setHeapFlags)
  } catch (error) {
    setHeapFlags()
    throw error
  }
}

/** The near end of a `sqlite-worker`. */
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
  #tellDied: (error: StorageError) => void = () => undefined
  /** Settles when the thread ends though nobody closed it: nothing can be done through it any more. */
  readonly died = new Promise<StorageError>((resolve) => (this.#tellDied = resolve))

  /** `damage` is that of the database, which all its threads share. */
  constructor(settings: WorkerSettings, damage: Damage) {
    this.#damage = damage
    this.#worker = startWorker(settings)
    // Answers are text. What is not was sent by Node: with --watch it reports here what the thread imports (nodejs/node#65044).
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

  /** Begins or ends this side's transaction. None begins on a database that is damaged. */
  transaction = async (step: 'begin' | 'commit' | 'rollback'): Promise<void> => {
    if (step === 'begin') this.#refuseDamaged()
    await this.#send({ kind: step })
  }

  /** Runs a unit of the units module in the next transaction and gives its result after the flush. Inputs and results are JSON. */
  async runUnit(name: string, input: unknown): Promise<unknown> {
    this.#refuseDamaged()
    return (await this.#send({ kind: 'unit', name, input })).result
  }

  /** The thread ends itself, after what it was asked before: ended from outside in the middle of a collection, it took the process along. */
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
    this.#damage.heard(error)
    pending?.reject(error)
  }

  #end(message: string, fault: StorageFault): void {
    this.#ended ??= new StorageError(message, fault, true)
    if (!this.#closing) this.#tellDied(this.#ended)
    for (const { reject } of this.#pending.values()) reject(this.#ended)
    this.#pending.clear()
  }
}
