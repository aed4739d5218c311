import { type Expression, expressionBuilder, sql, type SqlBool } from 'kysely'
import type { Value } from '../../storage/seam/dialect.ts'
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

/** A condition on a row of `messages`, with inputs as `:name`, and their values. */
export interface Condition {
  sql: string
  values: Readonly<Record<string, Value>>
}

/**
 * Returns the conditions of `filter` on a row of `messages`, except for its IDs. A send and times are read as a range as
 * well.
 */
export function conditionsOf(filter: HistoryFilter): Condition[] {
  const conditions: Condition[] = []
  const exact = [
    ['send_id', filter.sendId],
    ['client_reference', filter.clientReference],
    ['recipient', filter.to],
    ['error_code', filter.errorCode],
    ['direction', filter.direction],
    ['category', filter.category],
    ['sender', filter.from],
    ['country', filter.country],
  ] as const
  const add = (text: string, values: Condition['values']): void => void conditions.push({ sql: text, values })
  for (const [column, value] of exact)
    if (value !== null) add(`messages.${column} = :${column}`, { [column]: value })
  if (filter.statuses.length > 0) conditions.push(hasStatus(filter.statuses))
  if (filter.deviceId !== null) add(hasDevice, { device_id: filter.deviceId })
  if (filter.text !== null) add(textHolds, { text: `%${filter.text.replace(/[\\%_]/g, '\\$&')}%` })
  if (filter.keyId !== null) add(sentBy, { key_id: filter.keyId })
  if (filter.createdAfterMs !== null)
    add('messages.created_at >= :created_after', { created_after: filter.createdAfterMs })
  if (filter.createdBeforeMs !== null)
    add('messages.created_at < :created_before', { created_before: filter.createdBeforeMs })
  return conditions
}

const isInFlight = `(messages.status = 'queued' and ${hasOpenAttempt('messages')})`

/** `messages` says `queued` of what is in flight (open-attempt.ts). */
function hasStatus(statuses: readonly MessageStatus[]): Condition {
  const values = { statuses: ` ${statuses.join(' ')} ` }
  const stored = `:statuses like '% ' || messages.status || ' %'`
  const [queued, sending] = [statuses.includes('queued'), statuses.includes('sending')]
  if (sending && !queued) return { sql: `(${stored} or ${isInFlight})`, values }
  return { sql: queued && !sending ? `(${stored} and not ${isInFlight})` : stored, values }
}

const hasDevice = `(messages.device_id = :device_id or (messages.status = 'queued' and exists (select 1 from attempts where attempts.account_id = messages.account_id and attempts.mode = messages.mode and attempts.message_id = messages.id and attempts.ended_at is null and attempts.device_id = :device_id)))`

/** Both databases ignore the case of ASCII letters; only PostgreSQL ignores that of others. */
const textHolds = `lower(messages.text) like lower(:text) escape '\\'`

/** Looked up for each row that is read anyway. */
const sentBy = `(messages.key_id = :key_id or exists (select 1 from sends where sends.account_id = messages.account_id and sends.id = messages.send_id and sends.key_id = :key_id))`

/** Returns the conditions of `filter`, with its IDs, for a query of Kysely. */
export function expressionsOf(filter: HistoryFilter): Expression<SqlBool>[] {
  const conditions = conditionsOf(filter).map(expressionOf)
  if (filter.ids.length === 0) return conditions
  const is = expressionBuilder<Database, 'messages'>()
  return [...conditions, is('messages.id', 'in', padded(filter.ids))]
}

function expressionOf({ sql: text, values }: Condition): Expression<SqlBool> {
  const pieces = text.split(/:([a-z_]+)/).map((piece, i) => (i % 2 === 0 ? sql.raw(piece) : values[piece]))
  return sql.join<SqlBool>(pieces, sql.raw(''))
}

/**
 * Repeats the last ID up to one of three lengths, so that lists of IDs need three prepared statements instead
 * of a hundred.
 */
function padded(ids: readonly string[]): string[] {
  const length = [1, 10, 100].find((step) => step >= ids.length) ?? ids.length
  return Array.from({ length }, (_, i) => ids[Math.min(i, ids.length - 1)] as string)
}
