import { type AliasedExpression, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Database } from '../../storage/tables/schema.ts'
import { type HistoryRequest, maxRowsRead } from './history-query.ts'
import { type Change, changeOf, compare, place, type Span } from './history-span.ts'
import { groupsOf, keptWithin, type WaitingRoute, waitingWithin } from './history-waiting.ts'
import type { MessageRow } from '../core/message-store.ts'

/**
 * Returns the first messages that changed within a span: one page, and one more row if there is one. Each
 * message is read once, wherever it is. Several statements are safe: a change after the horizon was read is
 * beyond the horizon.
 *
 * A route does not record when its messages changed, so every route must be read; with one for each sender
 * there can be thousands. They are read one statement at a time, so that no account delays the reads of
 * others, and only up to the end of the page so far.
 */
export async function messagesChanged(
  db: Db,
  request: HistoryRequest,
  span: Span,
  routes: readonly WaitingRoute[],
): Promise<MessageRow[]> {
  const final = await settled(db, request, span)
  const last = final[request.limit]
  const rest = last === undefined ? span : { ...span, below: changeOf(last) }
  let page = firstOf([...final, ...(await unsettled(db, request, rest))], request)
  for (const group of groupsOf(routes)) {
    const end = page[request.limit]
    const toEnd = end === undefined ? rest : { ...rest, below: changeOf(end) }
    page = firstOf([...page, ...(await waiting(db, request, toEnd, group))], request)
  }
  return page
}

/** The last row is not on the page: it shows that there is a next one. */
const firstOf = (rows: readonly MessageRow[], { limit }: HistoryRequest): MessageRow[] =>
  rows.toSorted((a, b) => compare(changeOf(a), changeOf(b))).slice(0, limit + 1)

/** Final messages. */
const settled = (db: Db, request: HistoryRequest, span: Span): Promise<MessageRow[]> =>
  settledWithin(db, request, span)
    .selectAll()
    .where((is) => is.and(span.conditions))
    .limit(request.limit + 1)
    .execute()

/**
 * Reads messages that are not final and are queued on no route. One statement reads all of them: one for each
 * kind would take as long as the rest of the page.
 */
function unsettled(db: Db, request: HistoryRequest, span: Span): Promise<MessageRow[]> {
  const [first, ...others] = [awaitingReceipt, inFlight, waitingForInstant, waitingInPlace].map((found) =>
    db.selectFrom(found(db, request, span)).select('message_id'),
  )
  const all = others.reduce((some, one) => some.union(one), first as NonNullable<typeof first>)
  return ordered(db, all.as('found'), request, span).selectAll('messages').execute()
}

/** Maximum rows of a kind that is sorted by its changes; a search reads `maxRowsRead`. */
const maxWithin = ({ limit }: HistoryRequest, { conditions }: Span): number =>
  conditions.length === 0 ? limit + 1 : maxRowsRead

type Found = (
  db: Db,
  request: HistoryRequest,
  span: Span,
) => AliasedExpression<{ message_id: string }, 'found'>

/**
 * Messages that are `sent`. One of several parts has several expected receipts, all with the time at which it
 * was sent.
 */
const awaitingReceipt: Found = (db, request, span) =>
  receiptsWithin(db, request, span)
    .select(['sent_at', 'message_id'])
    .distinct()
    .limit(maxWithin(request, span))
    .as('found')

/**
 * Messages that are `sending`. No index has them in the order of their changes, so all attempts of the
 * account are read: what its devices have in flight, mostly a few hundred, and up to twenty for each phone.
 * The account is compared as an expression, because SQLite would otherwise use the primary key and read every
 * attempt ever made: 631 ms instead of 0.3 ms with a million.
 */
const inFlight: Found = (db, request, span) => {
  const { accountId, mode } = request.owner
  const open = db
    .selectFrom('attempts')
    .select('message_id')
    .where(sql<SqlBool>`account_id || '' = ${accountId}`)
    .where('mode', '=', mode)
    .where('ended_at', 'is', null)
  return ordered(db, open.as('found'), request, span).select('messages.id as message_id').as('found')
}

/** Messages that are scheduled, or delayed by quiet hours. */
const waitingForInstant: Found = (db, request, span) =>
  deferredWithin(db, request, span).select('message_id').limit(maxWithin(request, span)).as('found')

/** Messages that a device could not accept, and that kept their position in the queue. */
const waitingInPlace: Found = (db, request, span) =>
  keptWithin(db, request, span).select('message_id').limit(maxRowsRead).as('found')

/** Messages that are queued on some routes. */
function waiting(
  db: Db,
  request: HistoryRequest,
  span: Span,
  routes: readonly WaitingRoute[],
): Promise<MessageRow[]> {
  const found = waitingWithin(db, request, span, routes).select('message_id').limit(maxWithin(request, span))
  return ordered(db, found.as('found'), request, span).selectAll('messages').execute()
}

/**
 * Selects the messages of `found` that belong on the page. A final message is among the `settled` ones, at
 * the same position, but can be found here too: when a late ack corrected it to `sent` and its receipt is
 * expected, or when its first attempt delivered it while the second is open.
 */
const ordered = (
  db: Db,
  found: AliasedExpression<{ message_id: string }, 'found'>,
  { owner, limit }: HistoryRequest,
  { after, below, conditions }: Span,
) =>
  db
    .selectFrom(found)
    .crossJoin('messages')
    .whereRef('messages.id', '=', 'found.message_id')
    .where('messages.account_id', '=', owner.accountId)
    .where('messages.mode', '=', owner.mode)
    .where('messages.settled_at', 'is', null)
    .where(sql<SqlBool>`(messages.updated_at, messages.id) > ${place(after)}`)
    .where(sql<SqlBool>`(messages.updated_at, messages.id) < ${place(below)}`)
    .where((is) => is.and(conditions))
    .orderBy('messages.updated_at')
    .orderBy('messages.id')
    .limit(limit + 1)

/**
 * Returns the positions that a page must not pass, because one of the indexes was read for `maxRowsRead` rows
 * by then; none when fewer are left. They are positions and not counts, so that rows that appear or vanish
 * between two statements leave no gap. Only a search reads final messages that do not match; several expected
 * receipts can belong to one message. For queued messages see `waitingBounds`.
 */
export async function searchBounds(db: Db, request: HistoryRequest, span: Span): Promise<Change[]> {
  const isSearch = span.conditions.length > 0
  const bounds = await Promise.all([
    isSearch ? lastRead(settledWithin(db, request, span).select(['settled_at as atMs', 'id'])) : [],
    lastRead(receiptsWithin(db, request, span).select(['sent_at as atMs', 'message_id as id'])),
    isSearch
      ? lastRead(deferredWithin(db, request, span).select(['changed_at as atMs', 'message_id as id']))
      : [],
    isSearch
      ? lastRead(keptWithin(db, request, span).select(['changed_at as atMs', 'message_id as id']))
      : [],
  ])
  return bounds.flat().map(({ atMs, id }) => ({ atMs: atMs as number, id }))
}

/** Selects the position of the last row that is read; none when fewer are left. */
const lastRead = <T extends keyof Database, O>(rows: SelectQueryBuilder<Database, T, O>): Promise<O[]> =>
  rows
    .limit(1)
    .offset(maxRowsRead - 1)
    .execute()

// One lower and one upper bound each: of two upper bounds SQLite uses either one for the index, and reads up
// to that.

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
