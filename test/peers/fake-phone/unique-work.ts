import type { PhoneNetwork } from './phone-network.ts'
import type { PhoneTime } from './phone-time.ts'

export interface WorkHouse {
  time: PhoneTime
  network: PhoneNetwork
  /** Hears why a try failed. */
  failed(work: string, error: Error): void
}

export interface Work {
  name: string
  run(signal: AbortSignal): Promise<void>
  /** Between a success and the next run; null for work that is done once. */
  everyMs?: () => number
}

const firstBackoffMs = 10_000
const longestBackoffMs = 5 * 3_600_000

/** How long Android's WorkManager waits after the n-th failure in a row, the first being 1. */
export const backoffMs = (failures: number): number =>
  Math.min(longestBackoffMs, firstBackoffMs * 2 ** (failures - 1))

/**
 * A job of which there is one, as Android's WorkManager runs it: it needs the network, is tried again for ever, and each start
 * replaces the one before, also one that is running.
 */
export class UniqueWork {
  readonly #house: WorkHouse
  readonly #work: Work
  #run: AbortController | null = null
  #takeBack: (() => void) | null = null
  #failures = 0

  constructor(house: WorkHouse, work: Work) {
    this.#house = house
    this.#work = work
  }

  /** Failures since the last start or success. */
  get failures(): number {
    return this.#failures
  }

  start(): void {
    this.stop()
    void this.#try()
  }

  stop(): void {
    this.#run?.abort()
    this.#run = null
    this.#takeBack?.()
    this.#takeBack = null
    this.#failures = 0
  }

  async #try(): Promise<void> {
    const run = new AbortController()
    this.#run = run
    await this.#house.network.whenOnline()
    if (run.signal.aborted) return
    try {
      await this.#work.run(run.signal)
      if (run.signal.aborted) return
      this.#failures = 0
      const everyMs = this.#work.everyMs?.()
      if (everyMs !== undefined) this.#later(everyMs)
    } catch (error) {
      if (run.signal.aborted) return
      this.#failures += 1
      this.#house.failed(this.#work.name, error as Error)
      this.#later(backoffMs(this.#failures))
    }
  }

  #later(delayMs: number): void {
    this.#takeBack = this.#house.time.after(delayMs, () => void this.#try())
  }
}
