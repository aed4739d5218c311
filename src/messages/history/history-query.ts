import { type Expression, expressionBuilder, sql, type SqlBool } from 'kysely'
import type { Category, Database, Direction, MessageStatus, Mode } from '../../storage/tables/schema.ts'
import type { MessageRow } from '../core/message-store.ts'

/** Whose messages are read. It stands in every statement, so that nobody sees another's (P10). */
export interface HistoryOwner {
  accountId: string
  mode: Mode
}

/** What a caller may ask of history; null and an empty list mean "any". All of it must hold. */
export interface HistoryFilter {
  /** At most 100. */
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
  /** Stands in the text, capitals or not. Texts that were erased have none. */
  text: string | null
  /** Whoever sent it: an API key, or a person in the console. */
  keyId: string | null
  /** Inclusive. */
  createdAfterMs: number | null
  /** Exclusive. */
  createdBeforeMs: number | null
}

export interface HistoryQuery extends HistoryFilter {
  /** Inclusive; when set, messages come in the order of their last change, oldest first, and `order` means nothing. */
  updatedAfterMs: number | null
  /** By creation. */
  order: 'desc' | 'asc'
  timeline: boolean
}

/** Where a page ended: the next one begins behind it. `updatedAtMs` is null when messages come in the order of creation. */
export interface HistoryPosition {
  updatedAtMs: number | null
  id: string
}

export interface HistoryRequest {
  owner: HistoryOwner
  query: HistoryQuery
  /** Where the page before ended; null for the first one. */
  position: HistoryPosition | null
  limit: number
  horizonMs: number
}

export interface HistoryPage {
  rows: MessageRow[]
  /** Where the next page begins; null when there is none. */
  next: HistoryPosition | null
}

/** The query that asks for everything, newest first. */
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
 * No page reads more rows of an index than this to find those that match: 2 to 4 ms, and a default page full when one row in a hundred does.
 * With 10,000, as the interface allows, others wait 10 to 100 ms behind one search among a million messages.
 */
export const maxRowsRead = 2_500

/** The smallest text that sorts behind an id and before every later one: ids have one length. */
export const behind = (id: string): string => `${id}0`

/** No index answers these: a page that uses one reads at most `maxRowsRead` rows and may come back thin. */
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

/** Whether rows must be read that may then be left out. */
export const isSearch = (filter: HistoryFilter): boolean =>
  filter.statuses.length > 0 ||
  (filter.clientReference !== null && filter.to !== null) ||
  searchedBy.some((name) => filter[name] !== null)

/** Everything that `filter` asks of a row of `messages`, but for the ids and the send, which are asked as a range. */
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
    ['messages.device_id', filter.deviceId],
    ['messages.sender', filter.from],
    ['messages.country', filter.country],
  ] as const
  for (const [column, value] of exact) if (value !== null) conditions.push(is(column, '=', value as never))
  if (filter.ids.length > 0) conditions.push(is('messages.id', 'in', padded(filter.ids)))
  if (filter.statuses.length > 0) conditions.push(is('messages.status', 'in', [...filter.statuses]))
  if (filter.text !== null) conditions.push(textHolds(filter.text))
  if (filter.keyId !== null) conditions.push(sentBy(filter.keyId))
  if (filter.createdAfterMs !== null) conditions.push(is('messages.created_at', '>=', filter.createdAfterMs))
  if (filter.createdBeforeMs !== null) conditions.push(is('messages.created_at', '<', filter.createdBeforeMs))
  return conditions
}

/** Capitals of ASCII are folded alike by both databases; of other letters PostgreSQL alone folds them. */
const textHolds = (text: string): Expression<SqlBool> =>
  sql`lower(messages.text) like lower(${`%${text.replace(/[\\%_]/g, '\\$&')}%`}) escape '\\'`

/** Looked up send by send, of the rows that are read anyway. */
const sentBy = (keyId: string): Expression<SqlBool> =>
  sql`exists (select 1 from sends where sends.account_id = messages.account_id and sends.id = messages.send_id and sends.key_id = ${keyId})`

/** Repeats the last id up to one of three lengths, so that lists of ids make three statements to prepare and not a hundred. */
function padded(ids: readonly string[]): string[] {
  const length = [1, 10, 100].find((step) => step >= ids.length) ?? ids.length
  return Array.from({ length }, (_, i) => ids[Math.min(i, ids.length - 1)] as string)
}
