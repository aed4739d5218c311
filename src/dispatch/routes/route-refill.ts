import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { RouteBook } from './route-book.ts'
import { routeFrom, type RouteRing } from './route-ring.ts'

/** Routes read at a time; with more of them, the next poll continues where this one ended. */
const pageSize = 5_000

export interface WaitingRoute {
  account_id: string
  mode: Mode
  route_key: string
}

/** Sorts before all routes: no mode precedes `live`. */
export const beforeAllRoutes: WaitingRoute = { account_id: '', mode: 'live', route_key: '' }

interface RefillDeps {
  read: Db
  routes: Pick<RouteBook, 'learn' | 'refresh'>
}

/** Fills the ring from `queue_totals`, the authoritative list of what is queued, page by page, round robin. */
export class RouteRefill {
  readonly #deps: RefillDeps
  readonly #ring: RouteRing
  #after = beforeAllRoutes

  constructor(deps: RefillDeps, ring: RouteRing) {
    this.#deps = deps
    this.#ring = ring
  }

  async now(): Promise<void> {
    const { read, routes: book } = this.#deps
    const rows = await readWaitingRoutes(read, this.#after, pageSize)
    const routes = rows.map(routeFrom)
    await Promise.all([book.learn(routes), book.refresh()])
    for (const route of routes) this.#ring.add(route)
    this.#after = (rows.length < pageSize ? null : rows.at(-1)) ?? beforeAllRoutes
  }
}

/** Returns up to `most` routes with queued messages, in the order of their keys, after this one. */
export const readWaitingRoutes = (
  read: Db,
  { account_id, mode, route_key }: WaitingRoute,
  most: number,
): Promise<WaitingRoute[]> =>
  read
    .selectFrom('queue_totals')
    .select(['account_id', 'mode', 'route_key'])
    .where('messages', '>', 0)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('account_id', 'mode', 'route_key'), '>', tuple(account_id, mode, route_key)),
    )
    .orderBy('account_id')
    .orderBy('mode')
    .orderBy('route_key')
    .limit(most)
    .execute()
