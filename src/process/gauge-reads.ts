import type { Clock } from '../runtime/clock.ts'
import type { Log } from './log.ts'

/** Prometheus waits for ten seconds by default, and reports a node that has not responded by then as down. */
const readWithinMs = 2_000

/** Reads the gauges of a metrics page whose values are elsewhere, most of them in the database. */
export class GaugeReads {
  readonly #clock: Pick<Clock, 'schedule'>
  readonly #log: Pick<Log, 'warn'>
  /** Gauges that failed the last time. */
  readonly #unread = new Set<string>()

  constructor(clock: Pick<Clock, 'schedule'>, log: Pick<Log, 'warn'>) {
    this.#clock = clock
    this.#log = log
  }

  /**
   * Returns the value, or null if it cannot be read in time; that is logged once until it can be read again.
   * A page without it is better than none: it still shows that the node responds, and how many of its
   * requests fail.
   */
  async inTime<T>(name: string, read: () => T | Promise<T>): Promise<T | null> {
    const late = Promise.withResolvers<never>()
    const cancel = this.#clock.schedule(readWithinMs, () =>
      late.reject(new Error(`reading took longer than ${readWithinMs} ms`)),
    )
    try {
      const value = await Promise.race([read(), late.promise])
      this.#unread.delete(name)
      return value
    } catch (error) {
      if (!this.#unread.has(name))
        this.#log.warn({ gauge: name, err: error }, 'a gauge of the metrics cannot be read')
      this.#unread.add(name)
      return null
    } finally {
      cancel()
    }
  }
}
