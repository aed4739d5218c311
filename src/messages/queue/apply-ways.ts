import { sql } from 'kysely'
import { allDone } from '../../runtime/all-done.ts'
import { storeWays, type WrittenWay } from '../../devices/routes/ways-store.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { addToRows, deleteRows, insertRows, updateRows } from '../../storage/seam/sets.ts'
import type { Category, Encoding, Flag, Mode } from '../../storage/tables/schema.ts'
import type { TakeChange } from '../core/change-number.ts'
import { readStates } from '../core/message-store.ts'
import { parseRouteKey, routeKeyOf } from '../core/route-key.ts'
import { deferredKey, type DeferredRow } from './deferred.ts'
import { lowerTotals } from './dequeue.ts'
import { endRows } from './finish-queued.ts'
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

/** What is done with a page; `resolve` returns null for a message that a rule refuses. */
interface Applied {
  resolve: (message: WaitingMessage) => NewWay | null
  take: TakeChange
}

interface Done {
  moved: number
  /** Messages that a rule refuses: they are canceled. */
  refused: number
  /** Messages that a rule refuses and a restore holds: they stay, because they may have been sent (P14). */
  held: number
}

interface Page extends Done {
  /** Where the next page begins; null after the last one. */
  after: Place | null
}

/** Before all places of a route. */
export const firstPlace: Place = { priority: -1, due_at: 0, message_id: '' }

/**
 * Gives queued messages of a route the ways that `resolve` returns, one page as a unit. Each keeps its place, its hold, its
 * validity and the device that it avoids; those that a device was chosen for stay. What a rule refuses is canceled,
 * also with a chosen device, unless a restore holds it.
 */
export async function applyToQueue(
  tx: Tx,
  { route, after, ...by }: Applied & { route: { account_id: string; route_key: string }; after: Place },
): Promise<Page> {
  const { rows } = await sql<QueueRow>`
    select q.account_id, q.mode, q.message_id, q.route_key, q.priority, q.due_at, q.parts, q.expires_at, q.refusals, q.restore_hold,
      m.recipient, m.country, m.sender, m.category, m.encoding
    from queue q join messages m on m.account_id = q.account_id and m.mode = q.mode and m.id = q.message_id
    where q.route_key = ${route.route_key} and q.account_id = ${route.account_id}
      and (q.priority, q.due_at, q.message_id) > (${after.priority}, ${after.due_at}, ${after.message_id})
    order by q.priority, q.due_at, q.message_id limit ${pageSize}`.execute(tx)
  const { moved, refused, held } = movedOf(rows, by)
  if (refused.length > 0) await cancelRefused(tx, by, refused)
  const queued = moved.map(({ row, route_key }) => ({
    account_id: row.account_id, mode: row.mode, message_id: row.message_id, route_key, priority: row.priority, due_at: row.due_at,
    parts: row.parts, expires_at: row.expires_at, refusals: row.refusals, restore_hold: row.restore_hold,
  })) // prettier-ignore
  const before = moved.map(({ row }) => row)
  await allDone([
    storeMoved(tx, moved, by),
    deleteRows(tx, 'queue', queueKey, before),
    lowerTotals(tx, before),
    insertRows(tx, 'queue', queued),
    addToRows(tx, 'queue_totals', queueTotalShape, sumsOf(queued)),
  ])
  const end = rows.length < pageSize ? null : (rows.at(-1) ?? null)
  return { moved: moved.length, refused: refused.length, held, after: end }
}

/** Does the same for scheduled messages, and those that quiet hours delay, of an account in a mode, by ID. */
export async function applyToDeferred(
  tx: Tx,
  { accountId, mode, afterId, ...by }: Applied & { accountId: string; mode: Mode; afterId: string },
): Promise<Done & { after: string | null }> {
  const { rows } = await sql<WaitingMessage & Pick<DeferredRow, 'route_key' | 'reason' | 'restore_hold'>>`
    select d.account_id, d.mode, d.message_id, d.route_key, d.reason, d.restore_hold, d.parts, m.recipient, m.country, m.sender, m.category, m.encoding
    from deferred d join messages m on m.account_id = d.account_id and m.mode = d.mode and m.id = d.message_id
    where d.account_id = ${accountId} and d.mode = ${mode} and d.message_id > ${afterId}
    order by d.message_id limit ${pageSize}`.execute(tx)
  const { moved, refused, held } = movedOf(rows, by)
  if (refused.length > 0) await cancelRefused(tx, by, [], refused)
  await allDone([
    storeMoved(tx, moved, by),
    updateRows(
      tx,
      'deferred',
      deferredKey,
      moved.map(({ row: { account_id, message_id }, route_key }) => ({ account_id, mode, message_id, route_key })), // prettier-ignore
    ),
  ])
  const end = rows.length < pageSize ? null : (rows.at(-1)?.message_id ?? null)
  return { moved: moved.length, refused: refused.length, held, after: end }
}

/** A refused message has no way any more; its old one may lead over devices that no rule names. */
async function cancelRefused(
  tx: Tx,
  { take }: Applied,
  queued: readonly QueueRow[],
  deferred: readonly (WaitingMessage & Pick<DeferredRow, 'reason'>)[] = [],
): Promise<void> {
  const states = await readStates(
    tx,
    [...queued, ...deferred].map(({ account_id: accountId, mode, message_id: messageId }) => ({ accountId, mode, messageId })), // prettier-ignore
  )
  const stateOf = new Map(states.map((state) => [state.id, state]))
  const withState = <R extends WaitingMessage>(row: R) => {
    const state = stateOf.get(row.message_id)
    return state === undefined ? [] : [{ ...row, ...state }]
  }
  const reason = { trigger: 'canceled', code: 'destination_not_allowed' } as const
  await endRows(tx, await take(), queued.flatMap(withState), reason, deferred.flatMap(withState))
}

interface Moved<R> {
  row: R
  way: NewWay
  route_key: string
}

function movedOf<R extends WaitingMessage & Pick<QueueRow, 'route_key' | 'restore_hold'>>(
  rows: readonly R[],
  { resolve }: Applied,
): { moved: Moved<R>[]; refused: R[]; held: number } {
  const refused: R[] = []
  let held = 0
  const moved = rows.flatMap((row) => {
    const { isOwnOnly, way: present = null, ...route } = parseRouteKey(row.route_key)
    const way = resolve(row)
    if (way === null && row.restore_hold === 1) held += 1
    else if (way === null) refused.push(row)
    if (way === null || way.name === present || present?.startsWith('dev_') === true) return []
    const paidBy = isOwnOnly === true ? ('own_device' as const) : ('balance' as const)
    return [{ row, way, route_key: routeKeyOf({ ...route, mode: row.mode, way: way.name, paidBy }) }]
  })
  return { moved, refused, held }
}

async function storeMoved(tx: Tx, moved: readonly Moved<WaitingMessage>[], { take }: Applied): Promise<void> {
  if (moved.length === 0) return
  const unit = await take()
  await allDone([
    storeWays(
      tx,
      moved.map(({ way: { written } }) => ({ ways: written === null ? [] : [written] })),
      unit,
    ),
    updateRows(
      tx,
      'messages',
      ['account_id', 'mode', 'id'],
      moved.map(({ row, way }) => ({ account_id: row.account_id, mode: row.mode, id: row.message_id, way: way.name })), // prettier-ignore
    ),
  ])
}

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
