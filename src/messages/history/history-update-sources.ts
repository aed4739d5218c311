import { type AliasedExpression, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Database } from '../../storage/tables/schema.ts'
import { type HistoryRequest, maxRowsRead } from './history-query.ts'
import { type Change, changeOf, compare, place, type Span } from './history-span.ts'
import { groupsOf, keptWithin, type WaitingRoute, waitingWithin } from './history-waiting.ts'
import type { MessageRow } from '../core/message-store.ts'

/**
 * The first messages that changed within a span: a page of them and one more, if there are as many. Wherever a message is, it is
 * read there once: a change after the horizon was taken puts it behind the horizon, so it does not matter that these are several statements.
 *
 * No route tells when its messages changed, so every one must be asked, and one for each sender may be thousands. They are asked by one
 * statement at a time, so that no account holds up the reads of others, and only for what changed before the end of the page so far.
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

/** The last of them is not on the page: it tells that there is a next one. */
const firstOf = (rows: readonly MessageRow[], { limit }: HistoryRequest): MessageRow[] =>
  rows.toSorted((a, b) => compare(changeOf(a), changeOf(b))).slice(0, limit + 1)

/** Final messages. */
const settled = (db: Db, request: HistoryRequest, span: Span): Promise<MessageRow[]> =>
  settledWithin(db, request, span)
    .selectAll()
    .where((is) => is.and(span.conditions))
    .limit(request.limit + 1)
    .execute()

/** Messages that are not final and wait on no route. One statement reads all of them: one for each kind would take as long as all the rest of a page. */
function unsettled(db: Db, request: HistoryRequest, span: Span): Promise<MessageRow[]> {
  const [first, ...others] = [awaitingReceipt, beingHandedOver, waitingForInstant, waitingInPlace].map(
    (found) => db.selectFrom(found(db, request, span)).select('message_id'),
  )
  const all = others.reduce((some, one) => some.union(one), first as NonNullable<typeof first>)
  return ordered(db, all.as('found'), request, span).selectAll('messages').execute()
}

/** How many of a kind that is in the order of changes may be on the page: all where the page is a search. */
const maxWithin = ({ limit }: HistoryRequest, { conditions }: Span): number =>
  conditions.length === 0 ? limit + 1 : maxRowsRead

type Found = (
  db: Db,
  request: HistoryRequest,
  span: Span,
) => AliasedExpression<{ message_id: string }, 'found'>

/** Messages that are `sent`. One of several parts waits for several receipts, all with the time at which it was sent. */
const awaitingReceipt: Found = (db, request, span) =>
  receiptsWithin(db, request, span)
    .select(['sent_at', 'message_id'])
    .distinct()
    .limit(maxWithin(request, span))
    .as('found')

/**
 * Messages that are `sending`. No index has them in the order of their changes, so all of the account are looked up: what its devices hold, a few hundred
 * mostly, and with phones twenty for each. The account is compared as an expression, because SQLite would else take the primary key and read every
 * attempt there ever was: 631 instead of 0.3 ms with a million.
 */
const beingHandedOver: Found = (db, request, span) => {
  const { accountId, mode } = request.owner
  const open = db
    .selectFrom('attempts')
    .select('message_id')
    .where(sql<SqlBool>`account_id || '' = ${accountId}`)
    .where('mode', '=', mode)
    .where('ended_at', 'is', null)
  return ordered(db, open.as('found'), request, span).select('messages.id as message_id').as('found')
}

/** Messages that are scheduled, or wait for the end of quiet hours. */
const waitingForInstant: Found = (db, request, span) =>
  deferredWithin(db, request, span).select('message_id').limit(maxWithin(request, span)).as('found')

/** Messages that a device could not take, and that kept their place in the queue. */
const waitingInPlace: Found = (db, request, span) =>
  keptWithin(db, request, span).select('message_id').limit(maxRowsRead).as('found')

/** Messages that wait on some routes. */
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
 * Of the messages named by `found` those that belong on the page. A final one stands among the `settled`, at the same place, and may be found as well: it
 * was corrected to `sent` by a late yes and waits for the receipt of that, or arrived by its first try while the second is open.
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
 * The places that a page may not look beyond, because one of the indexes was read for `maxRowsRead` rows by then; none when fewer are left. They are
 * places and not counts, so that rows which come or go between two statements make no gap. Final messages are read in vain only when the
 * page is a search; of those that are waited for several parts of one message may be. Of what waits on routes `waitingBounds` tells.
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

/** The place of the last row that is read; none when fewer are left. */
const lastRead = <T extends keyof Database, O>(rows: SelectQueryBuilder<Database, T, O>): Promise<O[]> =>
  rows
    .limit(1)
    .offset(maxRowsRead - 1)
    .execute()

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
