import type { Clock } from '../runtime/clock.ts'
import type { Log } from './log.ts'

/** Whoever scrapes waits for ten seconds by default, and calls a node that has not answered by then down. */
const readWithinMs = 2_000

/** Reads the numbers of a page of metrics that stand elsewhere, most of them in the database. */
export class GaugeReads {
  readonly #clock: Pick<Clock, 'schedule'>
  readonly #log: Pick<Log, 'warn'>
  /** What could not be read the last time. */
  readonly #unread = new Set<string>()

  constructor(clock: Pick<Clock, 'schedule'>, log: Pick<Log, 'warn'>) {
    this.#clock = clock
    this.#log = log
  }

  /**
   * What was read; null when it cannot be, or not in time, which is said once until it can be again. A page without it is worth more than none: it
   * still says that the node answers, and how many of its requests fail.
   */
  async inTime<T>(name: string, read: () => T | Promise<T>): Promise<T | null> {
    const late = Promise.withResolvers<never>()
    const cancel = this.#clock.schedule(readWithinMs, () =>
      late.reject(new Error(`it took longer than ${readWithinMs} ms`)),
    )
    try {
      const value = await Promise.race([read(), late.promise])
      this.#unread.delete(name)
      return value
    } catch (error) {
      if (!this.#unread.has(name))
        this.#log.warn({ gauge: name, err: error }, 'a number of the metrics cannot be read')
      this.#unread.add(name)
      return null
    } finally {
      cancel()
    }
  }
}
