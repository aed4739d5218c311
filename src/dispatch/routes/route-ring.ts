import { parseRouteKey } from '../../messages/core/route-key.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { Route } from './choose-device.ts'

/** Returns a route as the wake-up of an accepted send or a row of `queue_totals` names it. */
export const routeFrom = (row: { account_id: string; mode: Mode; route_key: string }): Route => ({
  accountId: row.account_id,
  mode: row.mode,
  routeKey: row.route_key,
  ...parseRouteKey(row.route_key),
})

/** The routes that may have queued messages, in turn: accounts take turns regardless of how much each one queues. */
export class RouteRing {
  readonly #routes = new Map<string, Route>()

  get size(): number {
    return this.#routes.size
  }

  /** Adds a route at the end, unless it already has a place. */
  add(route: Route): void {
    const name = `${route.accountId}/${route.routeKey}`
    if (!this.#routes.has(name)) this.#routes.set(name, route)
  }

  /** Takes up to `most` routes from the front; a route with more to send is added again. */
  take(most: number): Route[] {
    const taken: Route[] = []
    for (const [name, route] of this.#routes) {
      if (taken.length >= most) break
      this.#routes.delete(name)
      taken.push(route)
    }
    return taken
  }
}
