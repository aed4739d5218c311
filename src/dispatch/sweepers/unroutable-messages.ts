import { maxPartsOfMessage } from '../../devices/core/carrying.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Way } from '../../devices/routes/way.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'
import { beforeAllRoutes, readWaitingRoutes } from '../routes/route-refill.ts'
import { routeFrom } from '../routes/route-ring.ts'
import { routingFor } from '../devices/routing.ts'

const intervalMs = 60_000
/** Routes checked at a time: reading a queue of 10,000 to its end takes about 1 ms. */
const pageSize = 100

export interface UnroutableMessagesDeps extends SweeperDeps {
  read: Db
  pool: Pick<DevicePool, 'servingAccount' | 'routes'>
}

/**
 * Warns about queued messages that no enabled device can carry. Such messages are rejected on accept, so a
 * device was changed, disabled or removed since. They stay queued, because a device that is off for an hour
 * returns. Each route is logged once until it recovers.
 */
export function createUnroutableWatch(deps: UnroutableMessagesDeps): Sweeper {
  const { read, pool, log } = deps
  let logged = new Set<string>()
  let found = new Set<string>()
  let after = beforeAllRoutes

  async function sweep(): Promise<boolean> {
    const rows = await readWaitingRoutes(read, after, pageSize)
    await pool.routes.learn(rows.map(routeFrom))
    for (const row of rows) {
      const route = routeFrom(row)
      const { accountId, mode, routeKey, sender, encodingForced, isOwnOnly, excludes = [] } = route
      const way = pool.routes.wayOf(route)?.way ?? noWay
      const { maxParts, enabled } = routingFor(
        pool,
        accountId,
        mode,
        sender,
        encodingForced,
        isOwnOnly ? 'own' : 'all',
        { ...way, not: [...(way.not ?? []), ...excludes] },
      )
      if (maxParts >= maxPartsOfMessage || !(await isWaiting(read, row, maxParts))) continue
      const name = `${accountId}/${routeKey}`
      found.add(name)
      if (logged.has(name)) continue
      log.warn({ account_id: accountId, mode, max_parts: maxParts }, enabled ? tooLong : noDevice)
    }
    const isMore = rows.length === pageSize
    after = (isMore ? rows.at(-1) : undefined) ?? beforeAllRoutes
    if (!isMore) [logged, found] = [found, new Set()]
    return isMore
  }

  return new Sweeper(deps, { name: 'unroutable-messages', intervalMs, sweep })
}

/** Of a way that is not stored: no device has it. */
const noWay: Way = { stages: [] }

const tooLong =
  'queued messages have more parts than any enabled device can join: they expire unless such a device is added or enabled'
const noDevice = 'no enabled device can carry queued messages: they expire unless one is added or enabled'

const isWaiting = async (
  read: Db,
  route: { account_id: string; route_key: string },
  maxParts: number,
): Promise<boolean> =>
  (await read
    .selectFrom('queue')
    .select('message_id')
    .where('route_key', '=', route.route_key)
    .where('account_id', '=', route.account_id)
    .where('parts', '>', maxParts)
    .limit(1)
    .executeTakeFirst()) !== undefined
