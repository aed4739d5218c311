import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Db } from '../storage/dialect.ts'
import { maxRowsRead } from './history-by-creation.ts'
import { conditionsOf, type HistoryPage, type HistoryRequest } from './history-query.ts'
import type { MessageRow } from './message-store.ts'

/** A place in the order of changes. */
interface Change {
  atMs: number
  id: string
}

/** From where (exclusive) to where (inclusive, when a search must stop) a page reads, and what it asks of each message. */
interface Span {
  after: Change
  until: Change | null
  conditions: Expression<SqlBool>[]
}

/**
 * One page in the order of the last change, oldest first. A final message stands in an index by that time; one that is not final yet is
 * where it is being worked on: among the receipts that are waited for, the open attempts, or the queue. State stands in no index of
 * `messages`, because every change would have to move it (31 instead of 47 µs a message).
 *
 * Every final state is seen. Of messages that wait, a page looks at `maxRowsRead`: with more of them changed since, some are first seen
 * when they move on.
 */
export async function readUpdates(db: Db, request: HistoryRequest): Promise<HistoryPage> {
  const { query } = request
  const after = startOf(request)
  const conditions = conditionsOf(query)
  const until = conditions.length === 0 ? null : await searchBound(db, request, after)
  const span = { after, until, conditions }
  const found = await Promise.all([settled, awaitingReceipt, beingHandedOver, waiting].map((read) => read(db, request, span)))
  const page = sliceUpdates(found.flat(), request)
  return page.next !== null || until === null ? page : { ...page, next: { updatedAtMs: until.atMs, id: until.id } }
}

type Source = (db: Db, request: HistoryRequest, span: Span) => Promise<MessageRow[]>

/** Final messages. */
const settled: Source = (db, { owner, limit, horizonMs }, { after, until, conditions }) =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('account_id', '=', owner.accountId)
    .where('mode', '=', owner.mode)
    .where('settled_at', 'is not', null)
    .where(sql<SqlBool>`(settled_at, id) > ${place(after)}`)
    .where(until === null ? sql<SqlBool>`settled_at < ${horizonMs}` : sql<SqlBool>`(settled_at, id) <= ${place(until)}`)
    .where((is) => is.and(conditions))
    .orderBy('settled_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute()

/** Messages that are `sent`. A message of several parts waits for several receipts, all with the time at which it was sent. */
const awaitingReceipt: Source = (db, { owner, limit, horizonMs }, { after, until, conditions }) =>
  db
    .selectFrom(
      db
        .selectFrom('receipts_expected')
        .select(['sent_at', 'message_id'])
        .distinct()
        .where('account_id', '=', owner.accountId)
        .where('mode', '=', owner.mode)
        .where('closed_at', 'is', null)
        .where(sql<SqlBool>`(sent_at, message_id) > ${place(after)}`)
        .where(until === null ? sql<SqlBool>`sent_at < ${horizonMs}` : sql<SqlBool>`(sent_at, message_id) <= ${place(until)}`)
        .orderBy('sent_at')
        .orderBy('message_id')
        .limit(conditions.length === 0 ? limit + 1 : maxRowsRead)
        .as('found'),
    )
    .crossJoin('messages')
    .selectAll('messages')
    .whereRef('messages.id', '=', 'found.message_id')
    .where('messages.account_id', '=', owner.accountId)
    .where('messages.mode', '=', owner.mode)
    .where((is) => is.and(conditions))
    .orderBy('messages.updated_at')
    .orderBy('messages.id')
    .limit(limit + 1)
    .execute()

/** Messages that are `sending`: never more of them than the windows of the devices. */
const beingHandedOver: Source = (db, { owner, limit, horizonMs }, { after, until, conditions }) =>
  db
    .selectFrom(
      db
        .selectFrom('attempts')
        .select('message_id')
        .where('account_id', '=', owner.accountId)
        .where('mode', '=', owner.mode)
        .where('ended_at', 'is', null)
        .limit(maxRowsRead)
        .as('found'),
    )
    .crossJoin('messages')
    .selectAll('messages')
    .whereRef('messages.id', '=', 'found.message_id')
    .where('messages.account_id', '=', owner.accountId)
    .where('messages.mode', '=', owner.mode)
    .where(changedWithin(after, until, horizonMs))
    .where((is) => is.and(conditions))
    .orderBy('messages.updated_at')
    .orderBy('messages.id')
    .limit(limit + 1)
    .execute()

/** Messages that wait. None is due before its last change, so the queue's own order finds those that changed since. */
const waiting: Source = (db, { owner, limit, horizonMs }, { after, until, conditions }) =>
  db
    .selectFrom(
      db
        .selectFrom('queue_totals')
        .crossJoin('queue')
        .select('queue.message_id')
        .where('queue_totals.account_id', '=', owner.accountId)
        .where('queue_totals.mode', '=', owner.mode)
        .whereRef('queue.route_key', '=', 'queue_totals.route_key')
        .where('queue.account_id', '=', owner.accountId)
        .where('queue.priority', 'in', [0, 1, 2])
        .where('queue.due_at', '>=', after.atMs)
        .where('queue.claimed_by', 'is', null)
        .limit(maxRowsRead)
        .as('found'),
    )
    .crossJoin('messages')
    .selectAll('messages')
    .whereRef('messages.id', '=', 'found.message_id')
    .where('messages.account_id', '=', owner.accountId)
    .where('messages.mode', '=', owner.mode)
    .where(changedWithin(after, until, horizonMs))
    .where((is) => is.and(conditions))
    .orderBy('messages.updated_at')
    .orderBy('messages.id')
    .limit(limit + 1)
    .execute()

const place = (change: Change): RawBuilder<unknown> => sql`(${change.atMs}, ${change.id})`

const changedWithin = (after: Change, until: Change | null, horizonMs: number): RawBuilder<SqlBool> =>
  until === null
    ? sql<SqlBool>`(messages.updated_at, messages.id) > ${place(after)} and messages.updated_at < ${horizonMs}`
    : sql<SqlBool>`(messages.updated_at, messages.id) > ${place(after)} and (messages.updated_at, messages.id) <= ${place(until)}`

/** Where a search must stop: the place at which either index was read for `maxRowsRead` rows. Null when fewer are left in both. */
async function searchBound(db: Db, { owner, horizonMs }: HistoryRequest, after: Change): Promise<Change | null> {
  const settledBound = db
    .selectFrom('messages')
    .select(['settled_at as atMs', 'id'])
    .where('account_id', '=', owner.accountId)
    .where('mode', '=', owner.mode)
    .where('settled_at', 'is not', null)
    .where(sql<SqlBool>`(settled_at, id) > ${place(after)}`)
    .where('settled_at', '<', horizonMs)
    .orderBy('settled_at')
    .orderBy('id')
  const sentBound = db
    .selectFrom('receipts_expected')
    .select(['sent_at as atMs', 'message_id as id'])
    .where('account_id', '=', owner.accountId)
    .where('mode', '=', owner.mode)
    .where('closed_at', 'is', null)
    .where(sql<SqlBool>`(sent_at, message_id) > ${place(after)}`)
    .where('sent_at', '<', horizonMs)
    .orderBy('sent_at')
    .orderBy('message_id')
  const bounds = await Promise.all([
    settledBound.limit(1).offset(maxRowsRead - 1).executeTakeFirst(),
    sentBound.limit(1).offset(maxRowsRead - 1).executeTakeFirst(),
  ])
  return bounds
    .flatMap((bound) => (bound === undefined || bound.atMs === null ? [] : [{ atMs: bound.atMs, id: bound.id }]))
    .reduce<Change | null>((least, bound) => (least === null || compare(bound, least) < 0 ? bound : least), null)
}

/** The page that begins behind the position, cut from rows in any order. */
export function sliceUpdates(rows: readonly MessageRow[], request: HistoryRequest): HistoryPage {
  const { limit, horizonMs } = request
  const after = startOf(request)
  const ordered = rows
    .filter((row) => row.updated_at < horizonMs && compare({ atMs: row.updated_at, id: row.id }, after) > 0)
    .sort((a, b) => compare({ atMs: a.updated_at, id: a.id }, { atMs: b.updated_at, id: b.id }))
  const last = ordered.length > limit ? (ordered[limit - 1] as MessageRow) : null
  return { rows: ordered.slice(0, limit), next: last === null ? null : { updatedAtMs: last.updated_at, id: last.id } }
}

const startOf = ({ query, position }: HistoryRequest): Change => ({
  atMs: position?.updatedAtMs ?? query.updatedAfterMs ?? 0,
  id: position?.id ?? '',
})

const compare = (a: Change, b: Change): number => a.atMs - b.atMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
