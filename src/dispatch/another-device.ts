import type { Claimed } from '../messages/claim-messages.ts'
import { isForAnother } from './choose-device.ts'
import type { DevicePool } from './device-pool.ts'
import { routeFrom } from './route-ring.ts'

/** Whether another device can carry on this route what was claimed, and is fit to. */
export type HasAnother = (claimed: Claimed, routeKey: string) => boolean

/** The same by the devices of the pool. */
export const anotherIn =
  (pool: Pick<DevicePool, 'candidatesFor'>): HasAnother =>
  ({ accountId, mode, parts }, routeKey) => {
    const route = routeFrom({ account_id: accountId, mode, route_key: routeKey })
    return isForAnother(route, pool.candidatesFor(route), parts)
  }
