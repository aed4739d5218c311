import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { routeFrom, type RouteRing } from './route-ring.ts'

/** Routes read at a time; with more of them, the next poll goes on where this one ended. */
const pageSize = 5_000

export interface WaitingRoute {
  account_id: string
  mode: Mode
  route_key: string
}

/** No mode stands before `live`. */
export const beforeAllRoutes: WaitingRoute = { account_id: '', mode: 'live', route_key: '' }

/** The truth about what waits: fills the ring from `queue_totals`, page after page, round and round. */
export class RouteRefill {
  readonly #read: Db
  readonly #ring: RouteRing
  #after = beforeAllRoutes

  constructor(read: Db, ring: RouteRing) {
    this.#read = read
    this.#ring = ring
  }

  async now(): Promise<void> {
    const rows = await readWaitingRoutes(this.#read, this.#after, pageSize)
    for (const row of rows) this.#ring.add(routeFrom(row))
    this.#after = (rows.length < pageSize ? null : rows.at(-1)) ?? beforeAllRoutes
  }
}

/** At most `most` of the routes on which something waits, in the order of their keys, behind this one. */
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
