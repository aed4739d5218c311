import { allDone } from '../../runtime/all-done.ts'
import type { RealKinds } from '../../devices/core/carrying.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { selectEach, updateRows } from '../../storage/seam/sets.ts'
import { advanceMessages } from '../core/advance-messages.ts'
import type { Change, TakeChange } from '../core/change-number.ts'
import { type DeferredMessage, endDeferral, readDeferredToEnd } from './deferred.ts'
import { dropStale, dequeue } from './dequeue.ts'
import { type MessageState, stateColumnsOf } from '../core/message-store.ts'
import type { Trigger } from '../core/state.ts'
import { strandedAmong } from './stranded.ts'

interface RouteRow {
  account_id: string
  mode: Mode
  route_key: string
}

type WaitingRow = MessageState & { route_key: string; priority: number; due_at: number }

/** Why messages end that a device never had: the trigger, and the error code. */
export interface EndReason {
  trigger: Trigger
  code: string
}

/** Later than any time; the value of `next_expiry_at` when a route is empty. */
const never = 8_640_000_000_000_000

const waitingRows = (condition: string) => `
  select ${stateColumnsOf('m')}, q.route_key, q.priority, q.due_at
  from queue q cross join messages m on m.account_id = q.account_id and m.mode = q.mode and m.id = q.message_id
  where ${condition} limit :most`
const ofRoute = 'q.route_key = :route and q.account_id = :account'
const expired = {
  sql: waitingRows(`${ofRoute} and q.restore_hold = 0 and q.expires_at <= :now`),
  inputs: ['route', 'account', 'now', 'most'],
} as const
const waiting = { sql: waitingRows(ofRoute), inputs: ['route', 'account', 'most'] } as const
const held = { sql: waitingRows('q.restore_hold = 1'), inputs: ['most'] } as const

const overdueRoutes = (db: Db | Tx, nowMs: number, most: number) =>
  db
    .selectFrom('queue_totals')
    .select(['account_id', 'mode', 'route_key'])
    .where('next_expiry_at', '<=', nowMs)
    .limit(most)
    .execute()

/** Returns whether the earliest expiry of some route has passed: then `expireWaiting` has something to do. */
export const mayExpire = async (db: Db, nowMs: number): Promise<boolean> =>
  (await overdueRoutes(db, nowMs, 1)).length > 0

/**
 * Expires queued messages after their validity (P2): `expired`, the hold released. Reads only routes whose
 * earliest expiry has passed, so that no index over all queued messages is needed. Returns the expired
 * messages, at most `most` per route.
 */
export async function expireWaiting(
  tx: Tx,
  { nowMs, take }: { nowMs: number; take: TakeChange },
  most: number,
  kinds: RealKinds,
): Promise<MessageState[]> {
  const routes = await overdueRoutes(tx, nowMs, 100)
  const rows = await selectEach<WaitingRow>(
    tx,
    expired,
    routes.map((route) => [route.route_key, route.account_id, nowMs, most]),
  )
  if (rows.length === 0) {
    await moveNextExpiry(tx, routes)
    return []
  }
  const stranded: ReadonlySet<MessageState> = await strandedAmong(tx, rows, kinds)
  const code = (row: MessageState): string => (stranded.has(row) ? 'no_own_device' : 'expired_in_queue')
  const finished = await endRows(tx, await take(), rows, { trigger: 'validity_ended', code })
  await moveNextExpiry(tx, routes)
  return finished
}

/**
 * Cancels messages of an account that is closed, in the queue or waiting for an instant, or those that a
 * restore holds. Returns the canceled messages page by page: at most `most` each from the queue and from the
 * waiting ones; none after the last page.
 */
export async function cancelWaiting(
  tx: Tx,
  unit: Change,
  scope: { accountId: string } | 'restore_hold',
  reason: EndReason,
  most: number,
): Promise<MessageState[]> {
  const found =
    scope === 'restore_hold'
      ? await selectEach<WaitingRow>(tx, held, [[most]])
      : await waitingOf(tx, scope.accountId, most)
  const deferred = await readDeferredToEnd(tx, scope, most)
  const finished = await endRows(tx, unit, found, reason, deferred)
  // Stale rows are not returned: a page with nothing else is not the last one.
  return finished.length === 0 && found.length + deferred.length > 0
    ? cancelWaiting(tx, unit, scope, reason, most)
    : finished
}

/** Maximum routes of a page, because each one needs a read of its queue. */
const maxRoutes = 20

/**
 * Reads some of the queued messages of an account. They are found by the totals of its routes, without a scan
 * of the whole queue.
 */
async function waitingOf(tx: Tx, accountId: string, most: number): Promise<WaitingRow[]> {
  const routes = await tx
    .selectFrom('queue_totals as t')
    .select('t.route_key')
    .where('t.account_id', '=', accountId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('queue as q')
          .select('q.message_id')
          .whereRef('q.route_key', '=', 't.route_key')
          .whereRef('q.account_id', '=', 't.account_id'),
      ),
    )
    .limit(maxRoutes)
    .execute()
  const maxOfRoute = Math.ceil(most / Math.max(1, routes.length))
  return selectEach(
    tx,
    waiting,
    routes.map(({ route_key }) => [route_key, accountId, maxOfRoute]),
  )
}

/**
 * Finishes messages of the queue, and `deferred` ones that wait for an instant, and removes them from there. Returns
 * those that were finished. A unit calls it once: each call locks its wallets in their order, and two calls could
 * lock them in two.
 */
export async function endRows(
  tx: Tx,
  unit: Change,
  found: readonly WaitingRow[],
  { trigger, code }: { trigger: Trigger; code: string | ((message: MessageState) => string) },
  deferred: readonly DeferredMessage[] = [],
): Promise<MessageState[]> {
  const rows = await dropStale(tx, found)
  const states = await advanceMessages(
    tx,
    unit,
    [...rows, ...deferred].map((message) => ({
      message,
      trigger,
      atMs: unit.nowMs,
      error: { code: typeof code === 'string' ? code : code(message), networkCode: null },
    })),
  )
  const finished = rows.filter((_, i) => states[i] !== null && states[i] !== undefined)
  await allDone([
    dequeue(
      tx,
      finished.map((row) => ({ ...row, message_id: row.id })),
    ),
    endDeferral(
      tx,
      deferred.map((row) => ({ ...row, message_id: row.id })),
    ),
  ])
  return states.filter((state) => state !== null)
}

const earliest = {
  sql: `select account_id, mode, route_key, (select min(q.expires_at) from queue q where q.route_key = t.route_key
          and q.account_id = t.account_id and q.restore_hold = 0) as next_expiry_at
        from queue_totals t where t.account_id = :account and t.mode = :mode and t.route_key = :route`,
  inputs: ['account', 'mode', 'route'],
} as const

async function moveNextExpiry(tx: Tx, routes: readonly RouteRow[]): Promise<void> {
  const rows = await selectEach<RouteRow & { next_expiry_at: number | null }>(
    tx,
    earliest,
    routes.map((route) => [route.account_id, route.mode, route.route_key]),
  )
  await updateRows(
    tx,
    'queue_totals',
    ['account_id', 'mode', 'route_key'],
    rows.map((row) => ({ ...row, next_expiry_at: row.next_expiry_at ?? never })),
  )
  // An empty route is recreated when a message needs it; otherwise the row of every sender ever used would
  // stay.
  const empty = rows.filter((row) => row.next_expiry_at === null)
  if (empty.length > 0)
    await tx
      .deleteFrom('queue_totals')
      .where('messages', '=', 0)
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('account_id', 'mode', 'route_key'),
          'in',
          empty.map((row) => tuple(row.account_id, row.mode, row.route_key)),
        ),
      )
      .execute()
}
