import type { Db } from '../../storage/seam/dialect.ts'
import { lowestIdAt } from '../../runtime/ids.ts'
import {
  expressionsOf,
  type HistoryPage,
  type HistoryPosition,
  type HistoryQuery,
  type HistoryRequest,
  isSearch,
  justAfter,
  maxRowsRead,
} from './history-query.ts'
import { readClockLag } from '../core/change-number.ts'
import { loneMessageId } from '../core/lone-sends.ts'
import type { MessageRow } from '../core/message-store.ts'
import { withOpenAttempts } from '../core/open-attempt.ts'

/** IDs of earlier versions can be this much younger than the `created_at` of their rows. */
const clockStepMs = 1_000

/** A range of ids, `from` inclusive, `below` exclusive. */
interface IdRange {
  from: string
  below: string
}

/** Returns one page in the order of creation, which is the order of IDs. */
export async function readByCreation(db: Db, request: HistoryRequest): Promise<HistoryPage> {
  const { query, limit } = request
  const lagMs = await lagOf(db, query)
  const range = narrowed(pageRange(request, lagMs), await sendRange(db, request))
  // Where IDs may be ahead, messages that were created later are among those that are read.
  const readsOthers = isSearch(query) || lagMs > 0
  const bound =
    query.ids.length === 0 && query.sendId === null && readsOthers
      ? await searchBound(db, request, range)
      : null
  const rows = await withOpenAttempts(
    db,
    await rowsIn(db, request, bound === null ? range : narrowed(range, boundRange(request, bound)))
      .selectAll()
      .where((is) => is.and(expressionsOf(query)))
      .limit(limit + 1)
      .execute(),
  )
  if (rows.length > limit)
    return { rows: rows.slice(0, limit), next: { id: (rows[limit - 1] as MessageRow).id, updatedAtMs: null } }
  return { rows, next: bound === null ? null : { id: bound, updatedAtMs: null } }
}

/**
 * Maximum rows counted in one step where an index answers: takes as long as a search of `maxRowsRead` rows.
 */
const maxRowsCounted = 5_000

/**
 * Counts the messages that match a query, in the order of the query, and returns where to continue: null when
 * all are counted. One step is short, so that the caller can stop in between: a search counts its matches
 * among `maxRowsRead` messages.
 */
export async function countByCreation(
  db: Db,
  request: HistoryRequest,
): Promise<{ messages: number; next: HistoryPosition | null }> {
  const { query } = request
  const range = narrowed(pageRange(request, await lagOf(db, query)), await sendRange(db, request))
  const bound = await searchBound(db, request, range, isSearch(query) ? maxRowsRead : maxRowsCounted)
  const slice = bound === null ? range : narrowed(range, boundRange(request, bound))
  const { messages } = await rowsIn(db, request, slice)
    .clearOrderBy()
    .select(({ fn }) => fn.countAll<number>().as('messages'))
    .where((is) => is.and(expressionsOf(query)))
    .executeTakeFirstOrThrow()
  return { messages, next: bound === null ? null : { id: bound, updatedAtMs: null } }
}

/** Reads all messages of a query for IDs or for a send: few enough to be sorted in memory. */
export async function readFew(db: Db, request: HistoryRequest): Promise<MessageRow[]> {
  const lagMs = await lagOf(db, request.query)
  const range = narrowed(pageRange({ ...request, position: null }, lagMs), await sendRange(db, request))
  const rows = await rowsIn(db, request, range)
    .selectAll()
    .where((is) => is.and(expressionsOf(request.query)))
    .execute()
  return withOpenAttempts(db, rows)
}

/** Selects the rows of an owner by the index that fits the query best, in order. */
function rowsIn(db: Db, { owner, query }: HistoryRequest, range: IdRange) {
  const rows = db
    .selectFrom('messages')
    .where('account_id', '=', owner.accountId)
    .where('mode', '=', owner.mode)
    .where('id', '>=', range.from)
    .where('id', '<', range.below)
    .orderBy('id', query.order)
  if (query.clientReference !== null) return rows.where('client_reference', '=', query.clientReference)
  return query.to === null ? rows : rows.where('recipient', '=', query.to)
}

/**
 * Returns how far IDs can be ahead of `created_at`, if the query depends on it. IDs do not step back with the wall clock.
 */
const lagOf = async (db: Db, { createdBeforeMs }: HistoryQuery): Promise<number> =>
  createdBeforeMs === null ? 0 : readClockLag(db)

/** Returns the range of IDs that position and times allow. */
function pageRange({ query, position }: HistoryRequest, lagMs: number): IdRange {
  const lowest: string[] = ['msg_']
  const highest: string[] = ['msg_~']
  if (query.createdAfterMs !== null) lowest.push(lowestIdAt('msg', query.createdAfterMs))
  if (query.createdBeforeMs !== null)
    highest.push(lowestIdAt('msg', query.createdBeforeMs + clockStepMs + lagMs))
  if (position !== null && query.order === 'asc') lowest.push(justAfter(position.id))
  if (position !== null && query.order === 'desc') highest.push(position.id)
  return { from: largest(lowest), below: smallest(highest) }
}

/**
 * Returns the range of the messages of a send; null when the query names no send.
 */
async function sendRange(db: Db, { owner, query }: HistoryRequest): Promise<IdRange | null> {
  if (query.sendId === null) return null
  const send = await db
    .selectFrom('sends')
    .select(['first_message_id', 'last_message_id'])
    .where('account_id', '=', owner.accountId)
    .where('id', '=', query.sendId)
    .executeTakeFirst()
  // Without a row it is of one message, or does not exist: `conditionsOf` compares the ID of the send.
  const lone = loneMessageId(query.sendId)
  return send === undefined
    ? { from: lone, below: justAfter(lone) }
    : { from: send.first_message_id, below: justAfter(send.last_message_id) }
}

/**
 * Finds, in the index alone, the ID at which a search must stop; null when fewer rows are left. It is an ID
 * and not a count, so that rows that appear or vanish between the two statements leave no gap.
 */
async function searchBound(
  db: Db,
  request: HistoryRequest,
  range: IdRange,
  rows = maxRowsRead,
): Promise<string | null> {
  const last = await rowsIn(db, request, range)
    .select('id')
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst()
  return last?.id ?? null
}

const boundRange = ({ query }: HistoryRequest, bound: string): IdRange =>
  query.order === 'asc' ? { from: 'msg_', below: justAfter(bound) } : { from: bound, below: 'msg_~' }

const narrowed = (range: IdRange, other: IdRange | null): IdRange =>
  other === null
    ? range
    : { from: largest([range.from, other.from]), below: smallest([range.below, other.below]) }

const largest = (ids: readonly string[]): string => ids.reduce((most, id) => (id > most ? id : most))
const smallest = (ids: readonly string[]): string => ids.reduce((least, id) => (id < least ? id : least))
