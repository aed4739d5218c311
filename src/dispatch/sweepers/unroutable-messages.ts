import type { Db } from '../../storage/seam/dialect.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import { maxPartsOfMessage } from '../devices/device-runtime.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'
import { beforeAllRoutes, readWaitingRoutes } from '../routes/route-refill.ts'
import { routeFrom } from '../routes/route-ring.ts'
import { routingFor } from '../devices/routing.ts'

const intervalMs = 60_000
/** Routes looked at in one go: a queue of 10,000 that is looked through to its end takes a reader about a millisecond. */
const pageSize = 100

export interface UnroutableMessagesDeps extends SweeperDeps {
  read: Db
  pool: Pick<DevicePool, 'servingAccount'>
}

/**
 * Says whose messages wait that no enabled device can carry. Accept refuses such messages, so a device was changed, switched off or removed since.
 * They are left to wait, because a device that is off for an hour comes back; the log has one line for each route until it is well again.
 */
export function createUnroutableWatch(deps: UnroutableMessagesDeps): Sweeper {
  const { read, pool, log } = deps
  let told = new Set<string>()
  let stranded = new Set<string>()
  let after = beforeAllRoutes

  async function sweep(): Promise<boolean> {
    const rows = await readWaitingRoutes(read, after, pageSize)
    for (const row of rows) {
      const { accountId, mode, routeKey, sender, encodingForced } = routeFrom(row)
      const { maxParts, enabled } = routingFor(pool, accountId, mode, sender, encodingForced)
      if (maxParts >= maxPartsOfMessage || !(await isWaiting(read, row, maxParts))) continue
      const name = `${accountId}/${routeKey}`
      stranded.add(name)
      if (told.has(name)) continue
      log.warn({ account_id: accountId, mode, max_parts: maxParts }, enabled ? tooLong : noDevice)
    }
    const isMore = rows.length === pageSize
    after = (isMore ? rows.at(-1) : undefined) ?? beforeAllRoutes
    if (!isMore) [told, stranded] = [stranded, new Set()]
    return isMore
  }

  return new Sweeper(deps, { name: 'unroutable-messages', intervalMs, sweep })
}

const tooLong =
  'messages wait that are longer than any enabled device joins: they expire unless such a device is added or enabled'
const noDevice = 'messages wait that no enabled device can carry: they expire unless one is added or enabled'

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
