import type { Clock } from '../../runtime/clock.ts'
import type { Service } from '../../process/lifecycle.ts'
import type { Log } from '../../process/log.ts'

export interface SweeperDeps {
  clock: Clock
  log: Log
  /** Whether this node runs the cleanup jobs for all; omitted where each runs them for itself. */
  leads?: () => boolean
}

/**
 * A cleanup job. `sweep` does a bounded amount of work and returns whether there is more; then it is called
 * again immediately, otherwise after the interval; one of several nodes does it. A sweep that fails is logged
 * and retried after the interval.
 */
export class Sweeper implements Service {
  readonly name: string
  readonly #deps: SweeperDeps
  readonly #intervalMs: number
  readonly #sweep: () => Promise<boolean>
  readonly #besides: (() => Promise<unknown>) | undefined
  #cancel: () => void = () => undefined
  #running: Promise<void> | null = null
  #stopped = true

  constructor(
    deps: SweeperDeps,
    options: {
      name: string
      intervalMs: number
      sweep: () => Promise<boolean>
      /** What sweeps have begun and do not wait for. */
      besides?: () => Promise<unknown>
    },
  ) {
    this.#deps = deps
    this.name = options.name
    this.#intervalMs = options.intervalMs
    this.#sweep = options.sweep
    this.#besides = options.besides
  }

  async start(): Promise<void> {
    this.#stopped = false
    this.#plan()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel()
    await this.#running
  }

  /** Settles when what sweeps have begun and do not wait for has ended. */
  async settled(): Promise<void> {
    await this.#besides?.()
  }

  /** Sweeps until nothing is left to do: at the interval, and in tests. */
  async sweepAll(): Promise<void> {
    while (await this.#sweep()) if (this.#stopped && this.#running !== null) return
  }

  #plan(): void {
    if (this.#stopped) return
    this.#cancel = this.#deps.clock.schedule(this.#intervalMs, () => {
      if (this.#deps.leads?.() === false) return this.#plan()
      this.#running = this.sweepAll()
        .catch((error: unknown) =>
          this.#deps.log.error({ err: error, sweeper: this.name }, 'a sweep failed; retrying'),
        )
        .finally(() => {
          this.#running = null
          this.#plan()
        })
    })
  }
}
