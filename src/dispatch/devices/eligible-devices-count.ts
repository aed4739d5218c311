import { BoundedMap } from '../../runtime/bounded-map.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Route } from '../routes/choose-device.ts'
import type { DevicePool } from './device-pool.ts'

interface EligibleDevicesDeps {
  clock: Pick<Clock, 'monotonicMs'>
  pool: Pick<DevicePool, 'ownedBy'>
}

/** For one use of a count so many devices are looked at. A thousand phones that fetch a thousand messages would else look at a million. */
const lookedAUse = 16
/** A count is not used longer than that, however seldom it is asked for. */
const oldestMs = 1_000
const maxCounts = 10_000

/**
 * Among how many devices what waits is shared: those that fetch and have room beside others, so that the quickest shall not have it all at its own pace. The
 * devices of an account, and those that all share, are counted apart: a crowd of either is counted once for all routes of one sender.
 * Few are counted anew each time.
 */
export class EligibleDevicesCount {
  readonly #deps: EligibleDevicesDeps
  readonly #counts = new BoundedMap<{ count: number; looked: number; uses: number; atMs: number }>(maxCounts)

  constructor(deps: EligibleDevicesDeps) {
    this.#deps = deps
  }

  /** At least one: who asks. */
  of(route: Route): number {
    return Math.max(1, this.#among(route.accountId, route) + this.#among(null, route))
  }

  #among(owner: string | null, { mode, sender, avoids }: Route): number {
    const nowMs = this.#deps.clock.monotonicMs()
    const name = `${owner ?? ''}/${mode}/${avoids ?? ''}/${sender ?? ''}`
    const known = this.#counts.get(name)
    if (known !== undefined && ++known.uses * lookedAUse < known.looked && nowMs - known.atMs <= oldestMs)
      return known.count
    const devices = this.#deps.pool.ownedBy(owner, mode)
    let count = 0
    for (const device of devices) {
      const { id, fetches, health, free, freeBeside = free } = device.candidate(sender)
      if (fetches && health !== 'offline' && freeBeside > 0 && id !== avoids) count += 1
    }
    if (devices.length > lookedAUse)
      this.#counts.set(name, { count, looked: devices.length, uses: 0, atMs: nowMs })
    return count
  }
}
