import { Worker } from 'node:worker_threads'
import { StorageError, type StorageFault } from './dialect.ts'
import type { Answer, Command, WorkerSettings } from './sqlite-worker.ts'

interface Pending {
  resolve: (answer: Answer) => void
  reject: (error: StorageError) => void
}

/** The near end of a `sqlite-worker`: sends what one turn of the microtask queue produced as one message. */
export class SqliteThread {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  #outbox: Command[] = []
  #nextId = 1
  #ended: StorageError | null = null

  constructor(settings: WorkerSettings) {
    this.#worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), { workerData: settings })
    this.#worker.on('message', (answers: Answer[]) => answers.forEach((answer) => this.#settle(answer)))
    this.#worker.on('error', (error: Error) => this.#end(`the database thread failed: ${error.message}`, 'unavailable'))
    this.#worker.on('exit', () => this.#end('the database is closed', 'closed'))
    this.#worker.unref()
  }

  /** Runs one command after all earlier ones. Rejects with a `StorageError`. */
  send(op: Command['op'], sql: string, values: readonly unknown[] = []): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) return reject(this.#ended)
      const id = this.#nextId++
      this.#pending.set(id, { resolve, reject })
      if (this.#pending.size === 1) this.#worker.ref()
      this.#outbox.push({ id, op, sql, values: values as unknown[] })
      if (this.#outbox.length === 1) queueMicrotask(() => this.#flush())
    })
  }

  async close(): Promise<void> {
    this.#worker.ref()
    await this.#worker.terminate()
  }

  #flush(): void {
    const commands = this.#outbox
    this.#outbox = []
    if (this.#ended === null) this.#worker.postMessage(commands)
  }

  #settle(answer: Answer): void {
    const pending = this.#pending.get(answer.id)
    this.#pending.delete(answer.id)
    if (this.#pending.size === 0) this.#worker.unref()
    if (answer.error === undefined) return pending?.resolve(answer)
    const { message, code, inTransaction } = answer.error
    pending?.reject(new StorageError(message, faultOf(code), !inTransaction))
  }

  #end(message: string, fault: StorageFault): void {
    this.#ended ??= new StorageError(message, fault, true)
    for (const { reject } of this.#pending.values()) reject(this.#ended)
    this.#pending.clear()
  }
}

/** SQLite's primary result codes (sqlite.org/rescode.html); the low byte of an extended code. */
function faultOf(code: number): StorageFault {
  switch (code & 0xff) {
    case 5:
    case 6:
      return 'busy'
    case 10:
    case 14:
      return 'unavailable'
    case 13:
      return 'full'
    case 19:
      return 'constraint'
    default:
      return 'other'
  }
}
