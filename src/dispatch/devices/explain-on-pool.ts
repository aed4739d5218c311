import type { Way } from '../../devices/routes/way.ts'
import type { Route } from '../routes/candidate.ts'
import { type ExplainedStage, explainRoute } from '../routes/explain-route.ts'
import { routeFrom } from '../routes/route-ring.ts'
import { readExcludes } from '../../messages/core/followers.ts'
import type { MessageState } from '../../messages/core/message-store.ts'
import { routeOf } from '../../messages/queue/queue-position.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { DevicePool } from './device-pool.ts'
import { moreOf, type ReportedDevices } from '../routes/reported-candidates.ts'

/** Returns the devices of the pool that a route may use, as they are now. */
export function poolDevices(
  pool: Pick<DevicePool, 'candidates' | 'get' | 'plans'>,
  route: Route,
): ReportedDevices {
  const candidates = [...pool.candidates(route)]
  const facts = candidates.flatMap(({ id }) => pool.get(id)?.facts ?? [])
  return {
    candidates,
    drains: new Set(facts.flatMap(({ id, isDraining }) => (isDraining ? [id] : []))),
    paced: new Set(facts.flatMap(({ id, pace }) => (pace === null ? [] : [id]))),
    planned: new Set(facts.flatMap(({ id }) => (pool.plans.reasonsOf(id).length > 0 ? [id] : []))),
  }
}

/** Explains over which devices of the pool a message goes now: as it is claimed, from memory. */
export function explainOnPool(
  pool: Pick<DevicePool, 'candidates' | 'get' | 'plans' | 'routes'>,
  route: Route,
  { way, parts }: { way: Way; parts: number },
): ExplainedStage[] {
  const { candidates, ...sets } = poolDevices(pool, route)
  return explainRoute({ route, parts, now: pool.routes.nowOf(way), devices: candidates, more: moreOf(sets) })
}

/**
 * Explains the same of a queued message, on the route on which it waits: by the way that it was accepted with, without the
 * devices that took the message which it follows, and behind others the one that has refused it. A null `routeKey` is a route
 * that is not known: which device has refused the message is not, either. Returns nothing while the way is not stored.
 */
export async function explainMessage(
  { read, pool }: { read: Db; pool: Pick<DevicePool, 'candidates' | 'get' | 'plans' | 'routes'> },
  message: Parameters<typeof routeOf>[0] & Pick<MessageState, 'parts'>,
  routeKey: string | null,
): Promise<ExplainedStage[]> {
  const { account_id, mode, id, parts } = message
  const usual = async (): Promise<string> =>
    routeOf(message, null, (await readExcludes(read, [message])).get(id))
  const route = routeFrom({ account_id, mode, route_key: routeKey ?? (await usual()) })
  await pool.routes.learn([route])
  const now = pool.routes.wayOf(route)
  return now === null ? [] : explainOnPool(pool, route, { way: now.way, parts })
}
