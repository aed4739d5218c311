import type { Clock } from '../../runtime/clock.ts'
import type { Db, SelectEach } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { Route } from '../routes/candidate.ts'
import { type Fetch, fetchesOf } from '../routes/choose-device.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { beforeAllRoutes, type WaitingRoute } from '../routes/route-refill.ts'
import { routeFrom } from '../routes/route-ring.ts'
import { EligibleDevicesCount } from '../devices/eligible-devices-count.ts'

interface FetchTurnsDeps {
  read: Db
  clock: Pick<Clock, 'monotonicMs'>
  pool: Pick<DevicePool, 'get' | 'ownedBy' | 'candidates' | 'isFrozen' | 'elsewhere' | 'routes'>
}

/** Routes among which one fetch shares its room. */
const maxRoutes = 256
/** Routes that are inspected for it, most of which may belong to other devices; the next fetch continues after them. */
const maxInspected = 1_000

/** A route of which a device may have messages now. */
export type FetchedRoute = Route & Fetch

type WaitingRow = WaitingRoute & { messages: number }

/** Round robin of the routes for each device that fetches: it continues after the route that it served last. */
export class FetchTurns {
  readonly #deps: FetchTurnsDeps
  readonly #last = new WeakMap<DeviceRuntime, WaitingRoute>()
  readonly #eligibleDevices: EligibleDevicesCount

  constructor(deps: FetchTurnsDeps) {
    this.#deps = deps
    this.#eligibleDevices = new EligibleDevicesCount(deps)
  }

  /**
   * Returns the routes with queued messages that this device may have now, the next in turn first, and how
   * many messages are its share among the devices that may have them.
   */
  async routesFor(device: DeviceRuntime): Promise<{ routes: FetchedRoute[]; share: number }> {
    const routes: FetchedRoute[] = []
    let share = 0
    let inspected = 0
    for await (const row of this.#rowsFor(device)) {
      inspected += 1
      const route = routeFrom(row)
      const fetches = this.#mayHave(device, route)
      if (fetches.length > 0) {
        routes.push(...fetches.map((fetch) => ({ ...route, ...fetch })))
        share += Math.ceil(row.messages / this.#eligibleDevices.of(route))
      }
      if (routes.length >= maxRoutes) break
      if (inspected < maxInspected) continue
      if (routes.length === 0) this.#last.set(device, row)
      break
    }
    return { routes, share }
  }

  /**
   * Returns what the device may have of the route now; the SIM for its sender may be at its rate
   * limit.
   */
  #mayHave(device: DeviceRuntime, route: Route): Fetch[] {
    const { pool } = this.#deps
    if (pool.isFrozen(route.accountId) || pool.get(device.facts.id) !== device) return []
    const asking = pool.elsewhere.askingOf(device, route.sender)
    const way = pool.routes.wayOf(route)
    return asking.free > 0 && way !== null ? fetchesOf(asking, route, pool.candidates(route), way) : []
  }

  /** Records the last route that the device had something of, or might have had. */
  served(
    device: DeviceRuntime,
    { accountId, mode, routeKey }: Pick<Route, 'accountId' | 'mode' | 'routeKey'>,
  ): void {
    this.#last.set(device, { account_id: accountId, mode, route_key: routeKey })
  }

  /**
   * Yields what is queued for its account, or for all with a shared device: first the routes after the last
   * one served, then up to it.
   */
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
      await this.#deps.pool.routes.learn(rows.map(routeFrom))
      yield* rows
      const last = rows.at(-1)
      if (last === undefined || rows.length < maxRoutes) return
      after = last
    }
  }
}

/** Routes with something queued, in the order of their keys: after one, up to another one if `hasEnd`, of one account if `isOwn`. */
const pageOf = (isOwn: boolean, hasEnd: boolean): SelectEach => ({
  sql: `select account_id, mode, route_key, messages from queue_totals
        where mode = :mode and messages > 0 and (account_id, mode, route_key) > (:after_account, :after_mode, :after_route)
          ${hasEnd ? 'and (account_id, mode, route_key) <= (:last_account, :last_mode, :last_route)' : ''}
          ${isOwn ? 'and account_id = :account' : ''}
        order by account_id, mode, route_key limit ${maxRoutes}`,
  inputs: [
    'mode',
    'after_account',
    'after_mode',
    'after_route',
    ...(hasEnd ? ['last_account', 'last_mode', 'last_route'] : []),
    ...(isOwn ? ['account'] : []),
  ],
})

const pages = [false, true].map((isOwn) => [false, true].map((hasEnd) => pageOf(isOwn, hasEnd)))

function readPage(
  read: Db,
  { accountId, mode }: DeviceRuntime['facts'],
  after: WaitingRoute,
  upTo: WaitingRoute | null,
): Promise<WaitingRow[]> {
  const statement = pages[Number(accountId !== null)]?.[Number(upTo !== null)] as SelectEach
  return selectEach<WaitingRow>(read, statement, [
    [
      mode,
      ...keyOf(after),
      ...(upTo === null ? [] : keyOf(upTo)),
      ...(accountId === null ? [] : [accountId]),
    ],
  ])
}

const keyOf = ({ account_id, mode, route_key }: WaitingRoute): string[] => [account_id, mode, route_key]
