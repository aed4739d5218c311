import type { Clock } from '../../runtime/clock.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { mayFetch, type Route } from '../routes/choose-device.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { beforeAllRoutes, type WaitingRoute } from '../routes/route-refill.ts'
import { routeFrom } from '../routes/route-ring.ts'
import { EligibleDevicesCount } from '../devices/eligible-devices-count.ts'

interface FetchTurnsDeps {
  read: Db
  clock: Pick<Clock, 'monotonicMs'>
  pool: Pick<DevicePool, 'get' | 'ownedBy' | 'candidates' | 'isFrozen' | 'elsewhere'>
}

/** Routes that one fetch shares its room among. */
const maxRoutes = 256
/** Routes that are looked at for it, most of which may be other devices'; the next fetch goes on behind them. */
const maxLooked = 1_000

type WaitingRow = WaitingRoute & { messages: number }

/** Whose turn it is on each device that fetches: routes are looked through behind the one that it served last, round and round. */
export class FetchTurns {
  readonly #deps: FetchTurnsDeps
  readonly #last = new WeakMap<DeviceRuntime, WaitingRoute>()
  readonly #eligibleDevices: EligibleDevicesCount

  constructor(deps: FetchTurnsDeps) {
    this.#deps = deps
    this.#eligibleDevices = new EligibleDevicesCount(deps)
  }

  /**
   * The routes on which something waits that this device may have now, the next in turn first, and how many messages are its share among
   * those that may have them.
   */
  async routesFor(device: DeviceRuntime): Promise<{ routes: Route[]; share: number }> {
    const routes: Route[] = []
    let share = 0
    let looked = 0
    for await (const row of this.#rowsFor(device)) {
      looked += 1
      const route = routeFrom(row)
      if (this.#mayHave(device, route)) {
        routes.push(route)
        share += Math.ceil(row.messages / this.#eligibleDevices.of(route))
      }
      if (routes.length === maxRoutes) break
      if (looked < maxLooked) continue
      if (routes.length === 0) this.#last.set(device, row)
      break
    }
    return { routes, share }
  }

  /** Whether it may have a message of the route now; the SIM for its sender may be at its pace. Of many devices few are looked at. */
  #mayHave(device: DeviceRuntime, route: Route): boolean {
    const { pool } = this.#deps
    if (pool.isFrozen(route.accountId) || pool.get(device.facts.id) !== device) return false
    const asking = pool.elsewhere.askingOf(device, route.sender)
    return asking.free > 0 && mayFetch(asking, route, pool.candidates(route))
  }

  /** This route was the last that the device had something of, or might have had. */
  served(
    device: DeviceRuntime,
    { accountId, mode, routeKey }: Pick<Route, 'accountId' | 'mode' | 'routeKey'>,
  ): void {
    this.#last.set(device, { account_id: accountId, mode, route_key: routeKey })
  }

  /** What waits of its account, or of all for a shared device: first behind the last served, then up to it. */
  async *#rowsFor(device: DeviceRuntime): AsyncGenerator<WaitingRow> {
    const last = this.#last.get(device) ?? beforeAllRoutes
    yield* this.#pages(device, last, null)
    if (last !== beforeAllRoutes) yield* this.#pages(device, beforeAllRoutes, last)
  }

  async *#pages(
    device: DeviceRuntime,
    from: WaitingRoute,
    upTo: WaitingRoute | null,
  ): AsyncGenerator<WaitingRow> {
    for (let after = from; ;) {
      const rows = await readPage(this.#deps.read, device.facts, after, upTo)
      yield* rows
      const last = rows.at(-1)
      if (last === undefined || rows.length < maxRoutes) return
      after = last
    }
  }
}

function readPage(
  read: Db,
  { accountId, mode }: DeviceRuntime['facts'],
  after: WaitingRoute,
  upTo: WaitingRoute | null,
): Promise<WaitingRow[]> {
  let query = read
    .selectFrom('queue_totals')
    .select(['account_id', 'mode', 'route_key', 'messages'])
    .where('mode', '=', mode)
    .where('messages', '>', 0)
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('account_id', 'mode', 'route_key'),
        '>',
        tuple(after.account_id, after.mode, after.route_key),
      ),
    )
  if (upTo !== null)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('account_id', 'mode', 'route_key'),
        '<=',
        tuple(upTo.account_id, upTo.mode, upTo.route_key),
      ),
    )
  if (accountId !== null) query = query.where('account_id', '=', accountId)
  return query.orderBy('account_id').orderBy('mode').orderBy('route_key').limit(maxRoutes).execute()
}
