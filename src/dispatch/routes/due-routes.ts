import type { Settlement } from '../../messages/outcomes/settlement.ts'
import type { Route } from './candidate.ts'
import { routeFrom } from './route-ring.ts'

/** Returns the routes to which these settlements requeue something, each with its earliest due time. */
export function dueRoutes(settlements: readonly Settlement[]): { route: Route; atMs: number }[] {
  const due = new Map<string, { route: Route; atMs: number }>()
  for (const { accountId, mode, position, requeue } of settlements) {
    if (requeue === null) continue
    const route_key = requeue.routeKey ?? position.route_key
    const name = `${accountId}/${route_key}`
    const atMs = Math.min(requeue.dueAt, due.get(name)?.atMs ?? Number.POSITIVE_INFINITY)
    due.set(name, { route: routeFrom({ account_id: accountId, mode, route_key }), atMs })
  }
  return [...due.values()]
}
