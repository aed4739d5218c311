import { sql } from 'kysely'
import { allDone } from '../../runtime/all-done.ts'
import { storeWays, type WrittenWay } from '../../devices/routes/ways-store.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { addToRows, deleteRows, insertRows, updateRows } from '../../storage/seam/sets.ts'
import type { Category, Encoding, Flag, Mode } from '../../storage/tables/schema.ts'
import { parseRouteKey, routeKeyOf } from '../core/route-key.ts'
import { lowerTotals } from './dequeue.ts'
import { queueKey } from './queue-position.ts'
import { queueTotalShape } from './queue-totals.ts'

/** A message that waits, as rules see it. */
export interface WaitingMessage {
  account_id: string
  mode: Mode
  message_id: string
  recipient: string
  country: string | null
  sender: string | null
  category: Category
  encoding: Encoding
  parts: number
}

/** The way that a message has from now on: its name in the key of the route, and what is to be stored. */
export interface NewWay {
  name: string | null
  written: WrittenWay | null
}

/** Messages that one transaction looks at. */
const pageSize = 1_000

type Place = Pick<QueueRow, 'priority' | 'due_at' | 'message_id'>
interface QueueRow extends WaitingMessage {
  route_key: string
  priority: number
  due_at: number
  expires_at: number
  refusals: number
  restore_hold: Flag
}

interface Page {
  moved: number
  /** Where the next page begins; null after the last one. */
  after: Place | null
}

/** Before all places of a route. */
export const firstPlace: Place = { priority: -1, due_at: 0, message_id: '' }

/**
 * Gives queued messages of a route the ways that `resolve` returns, one page as a unit. Each keeps its place, its hold, its
 * validity and the device that it avoids; those that a device was chosen for stay.
 */
export async function applyToQueue(
  tx: Tx,
  { route, after, resolve, nowMs }: { route: { account_id: string; route_key: string }; after: Place; resolve: (message: WaitingMessage) => NewWay; nowMs: number }, // prettier-ignore
): Promise<Page> {
  const { rows } = await sql<QueueRow>`
    select q.account_id, q.mode, q.message_id, q.route_key, q.priority, q.due_at, q.parts, q.expires_at, q.refusals, q.restore_hold,
      m.recipient, m.country, m.sender, m.category, m.encoding
    from queue q join messages m on m.account_id = q.account_id and m.mode = q.mode and m.id = q.message_id
    where q.route_key = ${route.route_key} and q.account_id = ${route.account_id}
      and (q.priority, q.due_at, q.message_id) > (${after.priority}, ${after.due_at}, ${after.message_id})
    order by q.priority, q.due_at, q.message_id limit ${pageSize}`.execute(tx)
  const moved = movedOf(rows, resolve)
  const queued = moved.map(({ row, route_key }) => ({
    account_id: row.account_id, mode: row.mode, message_id: row.message_id, route_key, priority: row.priority, due_at: row.due_at,
    parts: row.parts, expires_at: row.expires_at, refusals: row.refusals, restore_hold: row.restore_hold,
  })) // prettier-ignore
  const before = moved.map(({ row }) => row)
  await allDone([
    storeMoved(tx, moved, nowMs),
    deleteRows(tx, 'queue', queueKey, before),
    lowerTotals(tx, before),
    insertRows(tx, 'queue', queued),
    addToRows(tx, 'queue_totals', queueTotalShape, sumsOf(queued)),
  ])
  return { moved: moved.length, after: rows.length < pageSize ? null : (rows.at(-1) ?? null) }
}

/** Does the same for scheduled messages, and those that quiet hours delay, of an account in a mode, by ID. */
export async function applyToDeferred(
  tx: Tx,
  { accountId, mode, afterId, resolve, nowMs }: { accountId: string; mode: Mode; afterId: string; resolve: (message: WaitingMessage) => NewWay; nowMs: number }, // prettier-ignore
): Promise<{ moved: number; after: string | null }> {
  const { rows } = await sql<WaitingMessage & { route_key: string }>`
    select d.account_id, d.mode, d.message_id, d.route_key, d.parts, m.recipient, m.country, m.sender, m.category, m.encoding
    from deferred d join messages m on m.account_id = d.account_id and m.mode = d.mode and m.id = d.message_id
    where d.account_id = ${accountId} and d.mode = ${mode} and d.message_id > ${afterId}
    order by d.message_id limit ${pageSize}`.execute(tx)
  const moved = movedOf(rows, resolve)
  await allDone([
    storeMoved(tx, moved, nowMs),
    updateRows(
      tx,
      'deferred',
      ['account_id', 'mode', 'message_id'],
      moved.map(({ row: { account_id, message_id }, route_key }) => ({ account_id, mode, message_id, route_key })), // prettier-ignore
    ),
  ])
  return { moved: moved.length, after: rows.length < pageSize ? null : (rows.at(-1)?.message_id ?? null) }
}

interface Moved<R> {
  row: R
  way: NewWay
  route_key: string
}

function movedOf<R extends WaitingMessage & { route_key: string }>(
  rows: readonly R[],
  resolve: (message: WaitingMessage) => NewWay,
): Moved<R>[] {
  return rows.flatMap((row) => {
    const { isOwnOnly, way: present = null, ...route } = parseRouteKey(row.route_key)
    if (present?.startsWith('dev_') === true) return []
    const way = resolve(row)
    if (way.name === present) return []
    const paidBy = isOwnOnly === true ? ('own_device' as const) : ('balance' as const)
    return [{ row, way, route_key: routeKeyOf({ ...route, mode: row.mode, way: way.name, paidBy }) }]
  })
}

const storeMoved = (tx: Tx, moved: readonly Moved<WaitingMessage>[], nowMs: number): Promise<unknown> =>
  allDone([
    storeWays(
      tx,
      moved.map(({ way: { written } }) => ({ ways: written === null ? [] : [written] })),
      { nowMs },
    ),
    updateRows(
      tx,
      'messages',
      ['account_id', 'mode', 'id'],
      moved.map(({ row, way }) => ({ account_id: row.account_id, mode: row.mode, id: row.message_id, way: way.name })), // prettier-ignore
    ),
  ])

/** One row for each route. */
const sumsOf = (rows: readonly Pick<QueueRow, 'account_id' | 'mode' | 'route_key' | 'parts' | 'expires_at'>[]) =>
  [...Map.groupBy(rows, ({ route_key }) => route_key)].map(([route_key, all]) => ({
    account_id: all[0]?.account_id as string,
    mode: all[0]?.mode as Mode,
    route_key,
    messages: all.length,
    parts: all.reduce((sum, { parts }) => sum + parts, 0),
    next_expiry_at: Math.min(...all.map(({ expires_at }) => expires_at)),
  })) // prettier-ignore
