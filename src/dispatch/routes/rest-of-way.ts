import type { Way } from '../../devices/routes/way.ts'
import { routeOf } from '../../messages/queue/queue-position.ts'
import type { MessageRow } from '../../messages/core/message-store.ts'
import type { Candidate, Route } from './candidate.ts'
import { routeFrom } from './route-ring.ts'
import { usualNow, walkWay } from './walk-way.ts'

/**
 * Returns the route of a message that follows one which was not delivered: the rest of its way. That is the way of the first
 * one without the devices that took it. Null if no other device of it may carry the message, working or not. Nothing else
 * knows what the rest is.
 */
export function restOfWay(
  message: Parameters<typeof routeOf>[0] & Pick<MessageRow, 'parts'>,
  takenBy: readonly string[],
  { way, devicesFor }: { way: Way; devicesFor: (route: Route) => Iterable<Candidate> },
): Route | null {
  const { account_id, mode, parts } = message
  const route = routeFrom({ account_id, mode, route_key: routeOf(message, null, takenBy) })
  const able = [...devicesFor(route)].filter(({ maxParts }) => maxParts >= parts)
  const stages = walkWay(route, { ...usualNow, way }, able)
  return stages.some(({ devices }) => devices.length > 0) ? route : null
}
