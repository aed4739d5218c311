import { BoundedMap } from '../../../runtime/bounded-map.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { refuse } from '../../../runtime/errors.ts'

/** Devices whose last test is remembered; beyond that, a device can be tested again sooner. */
const maxKnown = 10_000

/**
 * Limits device tests: one at a time per device, with a pause after it. Each test signs in at a provider, who
 * blocks clients that connect too often or repeatedly send a wrong password.
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

  /**
   * Runs a test. A null result is no test, and no pause follows. Refuses during a test, and during the pause
   * after it.
   */
  async run<T>(deviceId: string, trial: () => Promise<T | null>): Promise<T | null> {
    if (this.#running.has(deviceId)) throw tooSoon('A test of this device is running.', 5)
    const waitMs =
      (this.#endedMs.get(deviceId) ?? Number.NEGATIVE_INFINITY) + this.#pauseMs - this.#clock.monotonicMs()
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000)
      throw tooSoon(`This device was tested just now. Try again in ${seconds} s.`, seconds)
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
