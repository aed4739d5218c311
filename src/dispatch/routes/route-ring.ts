import { avoidedDeviceMark, forcedEncodingMark } from '../../messages/core/message-store.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { Route } from './choose-device.ts'

/** A route as the wake-up of an accepted send or a row of `queue_totals` names it. */
export const routeFrom = (row: { account_id: string; mode: Mode; route_key: string }): Route => {
  const end = row.route_key.indexOf(':')
  const sender = row.route_key.slice(end + 1)
  const [marks = '', avoids = null] = row.route_key.slice(0, end).split(avoidedDeviceMark)
  return {
    accountId: row.account_id,
    mode: row.mode,
    routeKey: row.route_key,
    sender: sender === '' ? null : sender,
    encodingForced: marks.endsWith(forcedEncodingMark),
    avoids,
  }
}

/** The routes on which something may be waiting, in turn: accounts take their turns however much each of them queues. */
export class RouteRing {
  readonly #routes = new Map<string, Route>()

  get size(): number {
    return this.#routes.size
  }

  /** Puts a route at the end, unless it already has a place. */
  add(route: Route): void {
    const name = `${route.accountId}/${route.routeKey}`
    if (!this.#routes.has(name)) this.#routes.set(name, route)
  }

  /** Takes up to `most` routes from the front; who has more to do is added again. */
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
