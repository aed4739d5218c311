import { BoundedMap } from '../../runtime/bounded-map.ts'
import type { Clock } from '../../runtime/clock.ts'

const windowMs = 60_000
/** How many devices are counted at a time; beyond it the oldest window is dropped and restarts. */
const maxDevices = 10_000

/**
 * Counts the messages that devices receive per minute. Each node counts separately: a link runs on one of
 * them, and phones receive little.
 */
export class InboundRate {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #perMinute: number
  readonly #windows = new BoundedMap<{ startMs: number; taken: number }>(maxDevices)

  /** `perMinute` of 0 means no limit. */
  constructor({ clock }: { clock: Pick<Clock, 'monotonicMs'> }, perMinute: number) {
    this.#clock = clock
    this.#perMinute = perMinute
  }

  /**
   * Counts a message of the device. Returns false, without counting, if the device has reached its limit of
   * this minute.
   */
  take(deviceId: string): boolean {
    if (this.#perMinute === 0) return true
    const nowMs = this.#clock.monotonicMs()
    const known = this.#windows.get(deviceId)
    if (known === undefined || nowMs - known.startMs >= windowMs) {
      this.#windows.set(deviceId, { startMs: nowMs, taken: 1 })
      return true
    }
    if (known.taken >= this.#perMinute) return false
    known.taken += 1
    return true
  }
}
