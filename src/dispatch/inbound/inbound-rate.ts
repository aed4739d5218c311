import { BoundedMap } from '../../runtime/bounded-map.ts'
import type { Clock } from '../../runtime/clock.ts'

const windowMs = 60_000
/** Devices that are counted at a time; of more the one that began longest ago begins anew. */
const maxDevices = 10_000

/** Counts what devices bring in each minute. Each node counts for itself: a link is on one of them, and phones receive little. */
export class InboundRate {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #perMinute: number
  readonly #windows = new BoundedMap<{ startMs: number; taken: number }>(maxDevices)

  /** `perMinute` of 0 is no limit. */
  constructor({ clock }: { clock: Pick<Clock, 'monotonicMs'> }, perMinute: number) {
    this.#clock = clock
    this.#perMinute = perMinute
  }

  /** Counts one more of the device; false when it has brought what it may in this minute, which counts for nothing. */
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
