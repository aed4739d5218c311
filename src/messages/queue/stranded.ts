import { sql } from 'kysely'
import { canCarry, maxPartsOfMessage, type RealKinds } from '../../devices/core/carrying.ts'
import { type OwnCarrier, readOwnCarriers } from '../../devices/core/own-carriers.ts'
import { isInWay, wayNamed } from '../../devices/routes/way.ts'
import { readWays } from '../../devices/routes/ways-store.ts'
import type { Db, SelectEach, Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { isOwnRoute } from '../../storage/tables/own-devices.ts'
import { parseRouteKey } from '../core/route-key.ts'

/*
 * Messages that only own devices may carry (decision 51), while no device of the account that is enabled can: by their way,
 * their sender, their encoding or their parts. They wait for the next one until they expire (decision 60).
 */

type Route = { account_id: string; route_key: string }

/** Returns which of these rows of the queue are stranded. Reads devices only where own devices alone carry a row. */
export async function strandedAmong<R extends Route & { parts: number }>(
  tx: Tx,
  rows: readonly R[],
  kinds: RealKinds,
): Promise<ReadonlySet<R>> {
  const own = rows.filter(({ route_key }) => parseRouteKey(route_key).isOwnOnly === true)
  const carriersOf = await readCarriers(tx, own, kinds)
  return new Set(own.filter((row) => mostPartsOf(carriersOf(row)) < row.parts))
}

/** Messages that wait, and when the last of them expires; null without any. */
export interface Waiting {
  messages: number
  expireBy: number | null
}

export interface Stranded extends Waiting {
  /** Those of them that a device could carry if it were enabled, by its ID. */
  waitFor: ReadonlyMap<string, Waiting>
}

export const nothingWaits: Waiting = { messages: 0, expireBy: null }
export const noneStranded: Stranded = { ...nothingWaits, waitFor: new Map() }

/** Counts the stranded messages of an account: queued, scheduled, or delayed by quiet hours. */
export const readStranded = async (db: Db, accountId: string, kinds: RealKinds): Promise<Stranded> =>
  (await readStrandedOf(db, { accountId }, kinds)).get(accountId) ?? noneStranded

/**
 * Counts the stranded messages of one account, or of all accounts that have some, by account. The cost depends on the
 * number of routes of own devices, and on that of messages only where some are stranded.
 */
export async function readStrandedOf(
  db: Db,
  scope: { accountId: string } | 'all',
  kinds: RealKinds,
): Promise<ReadonlyMap<string, Stranded>> {
  const routes = await readOwnRoutes(db, scope)
  const carriersOf = await readCarriers(db, routes, kinds)
  const asked = routes.filter((route) => mostPartsOf(carriersOf(route)) < maxPartsOfMessage)
  const counts = await selectEach<Count>(
    db,
    waitingOnRoute,
    asked.map((route, turn) => [route.account_id, route.route_key, mostPartsOf(carriersOf(route)), turn]),
  )
  const stranded = new Map<string, { all: Waiting; waitFor: Map<string, Waiting> }>()
  for (const { turn, parts, ...waiting } of counts) {
    const route = asked[turn] as Route
    const of = stranded.get(route.account_id) ?? { all: nothingWaits, waitFor: new Map<string, Waiting>() }
    stranded.set(route.account_id, { ...of, all: sumOf(of.all, waiting) })
    for (const { id, maxParts } of carriersOf(route))
      if (maxParts >= parts) of.waitFor.set(id, sumOf(of.waitFor.get(id) ?? nothingWaits, waiting))
  }
  return new Map([...stranded].map(([accountId, { all, waitFor }]) => [accountId, { ...all, waitFor }]))
}

interface Count {
  turn: number
  parts: number
  messages: number
  expire_by: number
}

const sumOf = (one: Waiting, { messages, expire_by }: Pick<Count, 'messages' | 'expire_by'>): Waiting => ({
  messages: one.messages + messages,
  expireBy: Math.max(one.expireBy ?? 0, expire_by),
})

/** Reads the routes of own devices on which something waits. */
async function readOwnRoutes(db: Db, scope: { accountId: string } | 'all'): Promise<Route[]> {
  const ofAccount = scope === 'all' ? sql`` : sql`account_id = ${scope.accountId} and`
  const isOwn = sql.raw(isOwnRoute('route_key'))
  const { rows } = await sql<Route>`
    select account_id, route_key from queue_totals where ${ofAccount} messages > 0 and ${isOwn}
    union select account_id, route_key from deferred where ${ofAccount} ${isOwn}`.execute(db)
  return rows
}

/** What waits on a route and has more parts than its devices can join, by parts. */
const waitingOnRoute: SelectEach = {
  sql: `select :turn as turn, parts, count(*) as messages, max(expires_at) as expire_by from (
          select parts, expires_at from queue
          where route_key = :route and account_id = :account and parts > :over
          union all
          select parts, expires_at from deferred
          where account_id = :account and route_key = :route and ${isOwnRoute('route_key')} and parts > :over) as waiting
        group by parts`,
  inputs: ['account', 'route', 'over', 'turn'],
}

/** Returns a function for the own devices that can carry a route, enabled or not. */
async function readCarriers(
  db: Db | Tx,
  routes: readonly Route[],
  kinds: RealKinds,
): Promise<(route: Route) => OwnCarrier[]> {
  const accountIds = [...new Set(routes.map(({ account_id }) => account_id))]
  const named = new Set(routes.flatMap(({ route_key }) => parseRouteKey(route_key).way ?? []))
  const carriers = await readOwnCarriers(db, accountIds, kinds)
  const ways = await readWays(db, [...named])
  const byAccount = Map.groupBy(carriers, ({ accountId }) => accountId)
  return ({ account_id, route_key }) => {
    const route = parseRouteKey(route_key)
    const way = wayNamed(route.way, ways)
    return (byAccount.get(account_id) ?? []).filter(
      (device) =>
        canCarry(device, route) &&
        route.excludes?.includes(device.id) !== true &&
        (way === null || isInWay(way, device)),
    )
  }
}

/** How many parts the enabled ones of these devices can join at most; 0 without one. */
const mostPartsOf = (carriers: readonly OwnCarrier[]): number =>
  carriers.reduce((most, { isEnabled, maxParts }) => (isEnabled ? Math.max(most, maxParts) : most), 0)
