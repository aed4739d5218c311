import type { Mode } from '../../storage/tables/schema.ts'
import { byPlace } from './in-queue-order.ts'
import type { QueuePosition } from './queue-position.ts'

interface Request {
  accountId: string
  mode: Mode
  routeKey: string
  deviceId: string
  quota: number
  sharesQuota?: true
}

type Row = Pick<QueuePosition, 'priority' | 'due_at'> & { request: number; id: string }

/**
 * Returns the rows that requests which share a quota may have together: of one device and route the first ones in the queue,
 * regardless of their parts. Otherwise a device with room for one message would get short ones only, as long as there are some.
 */
export function withinQuotas<R extends Row>(rows: readonly R[], requests: readonly Request[]): readonly R[] {
  if (requests.every(({ sharesQuota }) => sharesQuota === undefined)) return rows
  const shared = Map.groupBy(rows, ({ request }) => {
    const { deviceId, accountId, mode, routeKey, sharesQuota } = requests[request] as Request
    return sharesQuota ? `${deviceId}/${accountId}/${mode}/${routeKey}` : null
  })
  shared.delete(null)
  const dropped = new Set<R>()
  for (const ofRoute of shared.values()) {
    const { quota } = requests[(ofRoute[0] as R).request] as Request
    for (const row of ofRoute.toSorted(byPlace).slice(quota)) dropped.add(row)
  }
  return rows.filter((row) => !dropped.has(row))
}
