import { isForAnother } from '../routes/choose-device.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import type { HasAnother } from '../outcomes/retry-policy.ts'
import { routeFrom } from '../routes/route-ring.ts'

/** Returns whether another device of the pool can carry the claim. */
export const anotherIn =
  (pool: Pick<DevicePool, 'candidatesFor' | 'routes'>): HasAnother =>
  ({ accountId, mode, parts }, routeKey) => {
    const route = routeFrom({ account_id: accountId, mode, route_key: routeKey })
    const way = pool.routes.wayOf(route)
    return way !== null && isForAnother(route, pool.candidatesFor(route), parts, way)
  }
