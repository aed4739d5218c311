import { type AliasedExpression, type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Db } from '../storage/dialect.ts'
import { type HistoryRequest, maxRowsRead } from './history-query.ts'
import type { MessageRow } from './message-store.ts'

/** A place in the order of changes. */
export interface Change {
  atMs: number
  id: string
}

export const compare = (a: Change, b: Change): number =>
  a.atMs - b.atMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** Between which places, both exclusive, a page looks, and what it asks of each message. */
export interface Span {
  after: Change
  below: Change
  conditions: Expression<SqlBool>[]
}

/** Rows read of each queue, and queues looked at. */
const maxWaitingRead = 500
const maxRoutesRead = 30

/**
 * The first messages that changed within a span: at least a page of them, if there are as many, in no order. Wherever a message is, it is
 * read there once: a change after the horizon was taken puts it behind the horizon, so it does not matter that these are several statements.
 * Where final messages fill the page, of the others only those that changed before its last are read.
 */
export async function messagesChanged(db: Db, request: HistoryRequest, span: Span): Promise<MessageRow[]> {
  const final = await settled(db, request, span)
  const last = final[request.limit]
  const rest = last === undefined ? span : { ...span, below: { atMs: last.updated_at, id: last.id } }
  const unsettled = [awaitingReceipt, beingHandedOver, waiting, waitingForInstant].map((read) =>
    read(db, request, rest),
  )
  return [final, ...(await Promise.all(unsettled))].flat()
}

type Source = (db: Db, request: HistoryRequest, span: Span) => Promise<MessageRow[]>

/** Final messages. */
const settled: Source = (db, request, span) =>
  settledWithin(db, request, span)
    .selectAll()
    .where((is) => is.and(span.conditions))
    .limit(request.limit + 1)
    .execute()

/** Messages that are `sent`. One of several parts waits for several receipts, all with the time at which it was sent. */
const awaitingReceipt: Source = (db, request, span) =>
  ordered(
    db,
    receiptsWithin(db, request, span)
      .select(['sent_at', 'message_id'])
      .distinct()
      .limit(span.conditions.length === 0 ? request.limit + 1 : maxRowsRead)
      .as('found'),
    request,
    span,
  )

/**
 * Messages that are `sending`: never more of them than the windows of the devices. The account is compared as an expression, because SQLite
 * would else take the primary key and read every attempt there ever was: 631 instead of 0.3 ms with a million.
 */
const beingHandedOver: Source = (db, request, span) =>
  ordered(
    db,
    db
      .selectFrom('attempts')
      .select('message_id')
      .where(sql<SqlBool>`account_id || '' = ${request.owner.accountId}`)
      .where('mode', '=', request.owner.mode)
      .where('ended_at', 'is', null)
      .limit(maxRowsRead)
      .as('found'),
    request,
    span,
  )

/**
 * Messages that wait. None is due before its last change, so the order of each queue finds those that changed since. One that was refused is
 * due later than it changed; behind more than `maxWaitingRead` others it is only seen when it moves on.
 */
const waiting: Source = async (db, request, span) => {
  const { accountId, mode } = request.owner
  const routes = await db
    .selectFrom('queue_totals')
    .select('route_key')
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .where('messages', '>', 0)
    .limit(maxRoutesRead)
    .execute()
  const next = (routeKey: string, priority: number) =>
    db
      .selectFrom('queue')
      .select(['message_id', 'changed_at'])
      .where('route_key', '=', routeKey)
      .where('account_id', '=', accountId)
      .where('priority', '=', priority)
      .where('due_at', '>=', span.after.atMs)
      .where('claimed_by', 'is', null)
      .orderBy('due_at')
      .orderBy('message_id')
      .limit(maxWaitingRead)
  const [first, ...others] = routes
    .flatMap(({ route_key }) => [0, 1, 2].map((priority) => next(route_key, priority)))
    .map((rows) => db.selectFrom(rows.as('next')).selectAll())
  if (first === undefined) return []
  const waits = others.reduce((all, rows) => all.unionAll(rows), first).as('waits')
  const found = db
    .selectFrom(waits)
    .select('message_id')
    .where(sql<SqlBool>`(changed_at, message_id) > ${place(span.after)}`)
    .where(sql<SqlBool>`(changed_at, message_id) < ${place(span.below)}`)
    .orderBy('changed_at')
    .orderBy('message_id')
    .limit(span.conditions.length === 0 ? request.limit + 1 : maxRowsRead)
  return ordered(db, found.as('found'), request, span)
}

/** Messages that are scheduled, or wait for the end of quiet hours. */
const waitingForInstant: Source = (db, request, span) =>
  ordered(
    db,
    deferredWithin(db, request, span)
      .select('message_id')
      .limit(span.conditions.length === 0 ? request.limit + 1 : maxRowsRead)
      .as('found'),
    request,
    span,
  )

/** Of the messages named by `found` those that belong on the page. */
function ordered(
  db: Db,
  found: AliasedExpression<{ message_id: string }, 'found'>,
  { owner, limit }: HistoryRequest,
  { after, below, conditions }: Span,
): Promise<MessageRow[]> {
  return db
    .selectFrom(found)
    .crossJoin('messages')
    .selectAll('messages')
    .whereRef('messages.id', '=', 'found.message_id')
    .where('messages.account_id', '=', owner.accountId)
    .where('messages.mode', '=', owner.mode)
    .where(sql<SqlBool>`(messages.updated_at, messages.id) > ${place(after)}`)
    .where(sql<SqlBool>`(messages.updated_at, messages.id) < ${place(below)}`)
    .where((is) => is.and(conditions))
    .orderBy('messages.updated_at')
    .orderBy('messages.id')
    .limit(limit + 1)
    .execute()
}

/**
 * The last place that a page may look at, because one of the indexes was read for `maxRowsRead` rows by then; null when fewer are left. It is
 * a place and not a count, so that rows which come or go between two statements make no gap. Final messages are read in vain only when the
 * page is a search; of those that are waited for several parts of one message may be.
 */
export async function searchBound(db: Db, request: HistoryRequest, span: Span): Promise<Change | null> {
  const isSearch = span.conditions.length > 0
  const bounds = await Promise.all([
    isSearch
      ? settledWithin(db, request, span)
          .select(['settled_at as atMs', 'id'])
          .limit(1)
          .offset(maxRowsRead - 1)
          .execute()
      : [],
    receiptsWithin(db, request, span)
      .select(['sent_at as atMs', 'message_id as id'])
      .limit(1)
      .offset(maxRowsRead - 1)
      .execute(),
    isSearch
      ? deferredWithin(db, request, span)
          .select(['changed_at as atMs', 'message_id as id'])
          .limit(1)
          .offset(maxRowsRead - 1)
          .execute()
      : [],
  ])
  const places = bounds.flat().map(({ atMs, id }) => ({ atMs: atMs as number, id }))
  return places.toSorted(compare)[0] ?? null
}

// One lower and one upper end each: of two upper ends SQLite takes either for the index and reads on to it.

const settledWithin = (db: Db, { owner }: HistoryRequest, { after, below }: Span) =>
  db
    .selectFrom('messages')
    .where('account_id', '=', owner.accountId)
    .where('mode', '=', owner.mode)
    .where('settled_at', 'is not', null)
    .where(sql<SqlBool>`(settled_at, id) > ${place(after)}`)
    .where(sql<SqlBool>`(settled_at, id) < ${place(below)}`)
    .orderBy('settled_at')
    .orderBy('id')

const receiptsWithin = (db: Db, { owner }: HistoryRequest, { after, below }: Span) =>
  db
    .selectFrom('receipts_expected')
    .where('account_id', '=', owner.accountId)
    .where('mode', '=', owner.mode)
    .where('closed_at', 'is', null)
    .where(sql<SqlBool>`(sent_at, message_id) > ${place(after)}`)
    .where(sql<SqlBool>`(sent_at, message_id) < ${place(below)}`)
    .orderBy('sent_at')
    .orderBy('message_id')

const deferredWithin = (db: Db, { owner }: HistoryRequest, { after, below }: Span) =>
  db
    .selectFrom('deferred')
    .where('account_id', '=', owner.accountId)
    .where('mode', '=', owner.mode)
    .where(sql<SqlBool>`(changed_at, message_id) > ${place(after)}`)
    .where(sql<SqlBool>`(changed_at, message_id) < ${place(below)}`)
    .orderBy('changed_at')
    .orderBy('message_id')

const place = (change: Change): RawBuilder<unknown> => sql`(${change.atMs}, ${change.id})`
