import { BoundedMap } from '../../../runtime/bounded-map.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { refuse } from '../../../runtime/errors.ts'

/** Each of a link is known again for so many others: beyond that one may be tried sooner. */
const maxKnown = 10_000

/**
 * Trials of devices: one at a time for each, and a pause behind it. Each signs in at a provider, who blocks whoever knocks too often, or sends a
 * wrong password again and again.
 */
export class DeviceTrials {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #pauseMs: number
  readonly #running = new Set<string>()
  readonly #endedMs = new BoundedMap<number>(maxKnown)

  constructor(deps: { clock: Pick<Clock, 'monotonicMs'> }, pauseMs: number) {
    this.#clock = deps.clock
    this.#pauseMs = pauseMs
  }

  /** Runs a trial; null is none, and no pause follows. Refuses while one runs, and during the pause behind it. */
  async run<T>(deviceId: string, trial: () => Promise<T | null>): Promise<T | null> {
    if (this.#running.has(deviceId)) throw tooSoon('This device is being tried just now.', 5)
    const waitMs =
      (this.#endedMs.get(deviceId) ?? Number.NEGATIVE_INFINITY) + this.#pauseMs - this.#clock.monotonicMs()
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000)
      throw tooSoon(`This device was tried just now; try it again in ${seconds} s.`, seconds)
    }
    this.#running.add(deviceId)
    try {
      const outcome = await trial()
      if (outcome !== null) this.#endedMs.set(deviceId, this.#clock.monotonicMs())
      return outcome
    } catch (error) {
      this.#endedMs.set(deviceId, this.#clock.monotonicMs())
      throw error
    } finally {
      this.#running.delete(deviceId)
    }
  }
}

const tooSoon = (detail: string, seconds: number) =>
  refuse('rate_limited', { detail, headers: { 'retry-after': String(seconds) } })
