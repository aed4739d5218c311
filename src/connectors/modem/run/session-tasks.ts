import type { ConnectorTools } from '../../connector-tools.ts'

interface Deps {
  tools: Pick<ConnectorTools, 'schedule' | 'log'>
  /** Whether the line has ended: then nothing more is asked. */
  isOver(): boolean
}

/** What one session does with its modem: one task after the other, and timers that end with it. */
export class SessionTasks {
  readonly #deps: Deps
  readonly #cancels = new Set<() => void>()
  #last: Promise<void> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Settles when every task so far has ended; never rejects. */
  get ended(): Promise<void> {
    return this.#last
  }

  /** Runs what uses the memories one after the other: each chooses the one that it reads. */
  do(task: () => Promise<void>): void {
    this.doAnyway(() => (this.#deps.isOver() ? Promise.resolve() : task()))
  }

  /** The same for what is to be done even if the line has ended meanwhile. */
  doAnyway(task: () => Promise<void>): void {
    this.#last = this.#last.then(task).catch((error: unknown) => {
      this.#deps.tools.log('warn', 'a modem could not be asked', { error: (error as Error).message })
    })
  }

  later(ms: number, task: () => void): void {
    if (this.#deps.isOver()) return
    const cancel = this.#deps.tools.schedule(ms, () => {
      this.#cancels.delete(cancel)
      task()
    })
    this.#cancels.add(cancel)
  }

  cancelAll(): void {
    for (const cancel of this.#cancels) cancel()
    this.#cancels.clear()
  }
}
