import { BoundedMap } from '../../runtime/bounded-map.ts'
import type { Clock } from '../../runtime/clock.ts'
import { isInWay, usualWay } from '../../devices/routes/way.ts'
import type { Route } from '../routes/candidate.ts'
import type { DevicePool } from './device-pool.ts'

interface EligibleDevicesDeps {
  clock: Pick<Clock, 'monotonicMs'>
  pool: Pick<DevicePool, 'ownedBy' | 'routes'>
}

/**
 * How many devices are inspected for each use of a count. Without it a thousand phones that fetch a thousand
 * messages would inspect a million.
 */
const inspectedPerUse = 16
/** Maximum age of a count, however rarely it is used. */
const maxAgeMs = 1_000
const maxCounts = 10_000

/**
 * Counts the devices that share what is queued: those that fetch and have room next to others. The fastest
 * must not take everything at its own pace. The devices of an account and the shared ones are counted
 * separately: each crowd is counted once for all routes of one sender. Small numbers are counted every time.
 */
export class EligibleDevicesCount {
  readonly #deps: EligibleDevicesDeps
  readonly #counts = new BoundedMap<{ count: number; inspected: number; uses: number; atMs: number }>(
    maxCounts,
  )

  constructor(deps: EligibleDevicesDeps) {
    this.#deps = deps
  }

  /** At least one: the device that asks. */
  of(route: Route): number {
    const shared = route.isOwnOnly ? 0 : this.#among(null, route)
    return Math.max(1, this.#among(route.accountId, route) + shared)
  }

  #among(owner: string | null, route: Route): number {
    const { mode, sender, way, avoids, excludes = [] } = route
    const nowMs = this.#deps.clock.monotonicMs()
    const name = `${owner ?? ''}/${mode}/${avoids ?? ''}/${excludes.join()}/${way ?? ''}/${sender ?? ''}`
    const known = this.#counts.get(name)
    if (
      known !== undefined &&
      ++known.uses * inspectedPerUse < known.inspected &&
      nowMs - known.atMs <= maxAgeMs
    )
      return known.count
    const { pool } = this.#deps
    const devices = pool.ownedBy(owner, mode)
    const named = pool.routes.wayOf(route)?.way ?? usualWay
    let count = 0
    for (const device of devices) {
      const { id, fetches, health, free, freeWithOthers = free } = device.candidate(sender)
      if (
        fetches &&
        health !== 'offline' &&
        freeWithOthers > 0 &&
        id !== avoids &&
        !excludes.includes(id) &&
        (way === undefined || isInWay(named, device.facts))
      )
        count += 1
    }
    if (devices.length > inspectedPerUse)
      this.#counts.set(name, { count, inspected: devices.length, uses: 0, atMs: nowMs })
    return count
  }
}
