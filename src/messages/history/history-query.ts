import { type Expression, expressionBuilder, sql, type SqlBool } from 'kysely'
import type { Category, Database, Direction, MessageStatus, Mode } from '../../storage/tables/schema.ts'
import type { MessageRow } from '../core/message-store.ts'
import { hasOpenAttempt } from '../core/open-attempt.ts'

/**
 * Whose messages are read. Part of every statement, so that an account cannot read another's messages (P10).
 */
export interface HistoryOwner {
  accountId: string
  mode: Mode
}

/** Conditions of history, all of which must match; null and an empty list mean "any". */
export interface HistoryFilter {
  /** Up to 100. */
  ids: readonly string[]
  sendId: string | null
  clientReference: string | null
  statuses: readonly MessageStatus[]
  errorCode: string | null
  direction: Direction | null
  category: Category | null
  deviceId: string | null
  to: string | null
  from: string | null
  country: string | null
  /** Text contained in the message, ignoring case. Erased texts match nothing. */
  text: string | null
  /** Sender of the message: an API key, or a user of the console. */
  keyId: string | null
  /** Inclusive. */
  createdAfterMs: number | null
  /** Exclusive. */
  createdBeforeMs: number | null
}

export interface HistoryQuery extends HistoryFilter {
  /** Inclusive. When set, messages are sorted by their last change, oldest first, and `order` is ignored. */
  updatedAfterMs: number | null
  /** By creation. */
  order: 'desc' | 'asc'
  timeline: boolean
}

/** A change among those of an account and mode: its unit, the row of the unit, and the place in the row. */
export interface ChangePlace {
  number: number
  part: number
  index: number
}

/**
 * Where a page ended; the next one begins after it. `updatedAtMs` is null in the order of creation. `change` is
 * omitted in that order and in cursors of earlier versions.
 */
export interface HistoryPosition {
  updatedAtMs: number | null
  id: string
  change?: ChangePlace
}

export interface HistoryRequest {
  owner: HistoryOwner
  query: HistoryQuery
  /** Where the previous page ended; null for the first page. */
  position: HistoryPosition | null
  limit: number
}

export interface HistoryPage {
  rows: MessageRow[]
  /** Where the next page begins; null on the last page. */
  next: HistoryPosition | null
  /** Up to where the changes were read: a reader that continues from there gets each change once. */
  readTo?: HistoryPosition
}

/** Matches all messages, newest first. */
export const everyMessage: HistoryQuery = {
  ids: [],
  sendId: null,
  clientReference: null,
  statuses: [],
  errorCode: null,
  direction: null,
  category: null,
  deviceId: null,
  to: null,
  from: null,
  country: null,
  text: null,
  keyId: null,
  createdAfterMs: null,
  createdBeforeMs: null,
  updatedAfterMs: null,
  order: 'desc',
  timeline: false,
}

/**
 * Maximum rows of an index that a page reads to find matches: takes 2 to 4 ms, and fills a default page when
 * 1% of the rows match. With 10,000, which the interface would allow, other reads wait 10 to 100 ms for one
 * search among a million messages.
 */
export const maxRowsRead = 2_500

/** Returns the smallest text that sorts after an ID and before every later one: IDs have one length. */
export const justAfter = (id: string): string => `${id}0`

/**
 * Conditions without an index: a page with one of them reads up to `maxRowsRead` rows and can be shorter than
 * its limit.
 */
const searchedBy = [
  'errorCode',
  'direction',
  'category',
  'deviceId',
  'from',
  'country',
  'text',
  'keyId',
] as const

/** True if rows must be read that may not match. */
export const isSearch = (filter: HistoryFilter): boolean =>
  filter.statuses.length > 0 ||
  (filter.clientReference !== null && filter.to !== null) ||
  searchedBy.some((name) => filter[name] !== null)

/**
 * Returns the conditions of `filter` on a row of `messages`, except for IDs and send, which are read as a
 * range.
 */
export function conditionsOf(filter: HistoryFilter): Expression<SqlBool>[] {
  const is = expressionBuilder<Database, 'messages'>()
  const conditions: Expression<SqlBool>[] = []
  const exact = [
    ['messages.send_id', filter.sendId],
    ['messages.client_reference', filter.clientReference],
    ['messages.recipient', filter.to],
    ['messages.error_code', filter.errorCode],
    ['messages.direction', filter.direction],
    ['messages.category', filter.category],
    ['messages.sender', filter.from],
    ['messages.country', filter.country],
  ] as const
  for (const [column, value] of exact) if (value !== null) conditions.push(is(column, '=', value as never))
  if (filter.ids.length > 0) conditions.push(is('messages.id', 'in', padded(filter.ids)))
  if (filter.statuses.length > 0) conditions.push(hasStatus(filter.statuses))
  if (filter.deviceId !== null) conditions.push(hasDevice(filter.deviceId))
  if (filter.text !== null) conditions.push(textHolds(filter.text))
  if (filter.keyId !== null) conditions.push(sentBy(filter.keyId))
  if (filter.createdAfterMs !== null) conditions.push(is('messages.created_at', '>=', filter.createdAfterMs))
  if (filter.createdBeforeMs !== null) conditions.push(is('messages.created_at', '<', filter.createdBeforeMs))
  return conditions
}

const isInFlight = sql<SqlBool>`(messages.status = 'queued' and ${sql.raw(hasOpenAttempt('messages'))})`

/** `messages` says `queued` of what is in flight (open-attempt.ts). */
function hasStatus(statuses: readonly MessageStatus[]): Expression<SqlBool> {
  const is = expressionBuilder<Database, 'messages'>()
  const stored = is('messages.status', 'in', [...statuses])
  const [queued, sending] = [statuses.includes('queued'), statuses.includes('sending')]
  if (sending && !queued) return is.or([stored, isInFlight])
  return queued && !sending ? is.and([stored, is.not(isInFlight)]) : stored
}

const hasDevice = (deviceId: string): Expression<SqlBool> =>
  sql`(messages.device_id = ${deviceId} or (messages.status = 'queued' and exists (select 1 from attempts where attempts.account_id = messages.account_id and attempts.mode = messages.mode and attempts.message_id = messages.id and attempts.ended_at is null and attempts.device_id = ${deviceId})))`

/** Both databases ignore the case of ASCII letters; only PostgreSQL ignores that of others. */
const textHolds = (text: string): Expression<SqlBool> =>
  sql`lower(messages.text) like lower(${`%${text.replace(/[\\%_]/g, '\\$&')}%`}) escape '\\'`

/** Looked up for each row that is read anyway. */
const sentBy = (keyId: string): Expression<SqlBool> =>
  sql`(messages.key_id = ${keyId} or exists (select 1 from sends where sends.account_id = messages.account_id and sends.id = messages.send_id and sends.key_id = ${keyId}))`

/**
 * Repeats the last ID up to one of four lengths, so that lists of IDs need four prepared statements instead
 * of a hundred.
 */
export function padded(ids: readonly string[]): string[] {
  const length = [1, 10, 100, 150].find((step) => step >= ids.length) ?? ids.length
  return Array.from({ length }, (_, i) => ids[Math.min(i, ids.length - 1)] as string)
}
