import type { Db } from '../storage/dialect.ts'
import { routeFrom, type RouteRing } from './route-ring.ts'

/** Routes read at a time; with more of them, the next poll goes on where this one ended. */
const pageSize = 5_000

interface Position {
  account_id: string
  mode: string
  route_key: string
}
const start: Position = { account_id: '', mode: '', route_key: '' }

/** The truth about what waits: fills the ring from `queue_totals`, page after page, round and round. */
export class RouteRefill {
  readonly #read: Db
  readonly #ring: RouteRing
  #after: Position = start

  constructor(read: Db, ring: RouteRing) {
    this.#read = read
    this.#ring = ring
  }

  async now(): Promise<void> {
    const { account_id, mode, route_key } = this.#after
    const rows = await this.#read
      .selectFrom('queue_totals')
      .select(['account_id', 'mode', 'route_key'])
      .where('messages', '>', 0)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('account_id', 'mode', 'route_key'), '>', tuple(account_id, mode as 'live', route_key)),
      )
      .orderBy('account_id')
      .orderBy('mode')
      .orderBy('route_key')
      .limit(pageSize)
      .execute()
    for (const row of rows) this.#ring.add(routeFrom(row))
    this.#after = (rows.length < pageSize ? null : rows.at(-1)) ?? start
  }
}
