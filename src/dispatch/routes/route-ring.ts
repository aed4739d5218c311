import { parseRouteKey } from '../../messages/core/route-key.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { Route } from './candidate.ts'

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

  /**
   * Takes up to `most` routes from the front, and of the ways of an account no more than share a claim well; the others
   * stay in front. A route with more to send is added again.
   */
  take(most = maxRoutesPerRound): Route[] {
    const taken: Route[] = []
    const waysOf = new Map<string, number>()
    for (const [name, route] of this.#routes) {
      if (taken.length >= most) break
      if (route.way !== undefined) {
        const ways = waysOf.get(route.accountId) ?? 0
        if (ways >= maxWaysOfAccount) continue
        waysOf.set(route.accountId, ways + 1)
      }
      this.#routes.delete(name)
      taken.push(route)
    }
    return taken
  }
}

/** Limits one claim: further routes wait for the next round. */
const maxRoutesPerRound = 256

/**
 * What an account accepted together is claimed together: with four of sixteen ways in a round, each page of messages and attempts
 * was written four times, twice as much log for each message. A route costs a claim some 20 µs (decision 69).
 */
const maxWaysOfAccount = 16
