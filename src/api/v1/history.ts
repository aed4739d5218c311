import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../runtime/clock.ts'
import { idPattern, type IdPrefix, isId } from '../../runtime/ids.ts'
import { messageErrorCodes } from '../../messages/core/message-errors.ts'
import { readHistory } from '../../messages/history/history.ts'
import type { ReadOf } from '../../storage/seam/dialect.ts'
import { maxCursorLength, openCursor, sealCursor } from '../../messages/history/history-cursor.ts'
import { everyMessage, type HistoryQuery } from '../../messages/history/history-query.ts'
import type { TimelineEntry } from '../../messages/history/history-timeline.ts'
import type { Answer } from '../edge/operation.ts'
import {
  address,
  instant,
  QueryReader,
  sender,
  textThat,
  textWithPlus,
  wholeNumber,
  word,
} from '../edge/query.ts'
import type { ApiCall, ApiOperation } from './operation.ts'
import { messageExample } from './message-example.ts'
import { MessageSchema, renderMessage } from './message-view.ts'
import { oneOf, orNull } from '../../runtime/schemas.ts'
import { categories, directions, messageStatuses } from '../../storage/tables/column-values.ts' // prettier-ignore

export interface HistoryOperationDeps {
  readOf: ReadOf
  /** At least 32 random bytes, derived from the secret of the instance. */
  cursorKey: Uint8Array
}

const TimelineEntrySchema = Type.Object({
  status: oneOf(messageStatuses, 'Status that the message reached.'),
  at: Type.String({ format: 'date-time', description: 'Time of the change.' }),
  attempt_id: orNull<string>('string', 'Attempt that caused the change.'),
  device_id: orNull<string>('string', 'Device of that attempt.'),
})

const HistorySchema = Type.Object({
  object: oneOf(['list'], 'Type of the object.'),
  data: Type.Array(
    Type.Intersect([
      MessageSchema,
      Type.Object({
        timeline: Type.Optional(
          Type.Array(TimelineEntrySchema, {
            description: 'With `include=timeline`: one entry per status reached, oldest first.',
          }),
        ),
      }),
    ]),
    {
      description:
        'Messages of this page. A page can have fewer than `limit` messages, even none, and still have a next page.',
    },
  ),
  has_more: Type.Boolean({ description: 'True when there is a next page.' }),
  next_cursor: orNull<string>('string', 'Value of `cursor` for the next page; null on the last page.'),
})

/** An empty value is refused for every parameter. */
const text = (description: string, more: Record<string, unknown> = {}) =>
  Type.Optional(Type.String({ minLength: 1, description, ...more }))
const choice = <const T extends string>(values: readonly T[], description: string) =>
  Type.Optional(oneOf(values, description))
const dateTime = (description: string) => text(description, { format: 'date-time' })

const HistoryQuerySchema = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Messages per page.' })),
  cursor: text('`next_cursor` of the previous page. It contains the query: only `limit` can be sent with it.', { maxLength: maxCursorLength, pattern: '^[A-Za-z0-9_-]+$' }),
  id: Type.Optional(Type.Array(Type.String({ pattern: idPattern('msg') }), { maxItems: 100, description: 'Messages with these IDs. Repeat the parameter for several.' })),
  send_id: text('Messages of one send.', { pattern: idPattern('snd') }),
  client_reference: text('Messages with this `client_reference`. Encode a `+` as `%2B`, a space as `%20`.', { minLength: 1, maxLength: 100 }),
  status: Type.Optional(Type.Array(oneOf(messageStatuses, 'A status.'), { maxItems: 100, description: 'Messages with one of these statuses. Repeat the parameter for several.' })),
  error_code: text('Messages with this `error.code`.'),
  direction: choice(directions, 'Only sent or only received messages.'),
  category: choice(categories, 'Messages of one category.'),
  device_id: text('Messages of this device, current or last.', { pattern: idPattern('dev') }),
  to: text('Messages to this number. Encode its `+` as `%2B`.'),
  from: text('Messages from this sender. Encode a `+` as `%2B`, a space as `%20`.'),
  country: text('Messages to or from one country, ISO 3166-1 alpha-2.', { pattern: '^[A-Z]{2}$' }),
  created_after: dateTime('Created at or after this time.'),
  created_before: dateTime('Created before this time.'),
  updated_after: dateTime('Updated at or after this time, in the order of the last update. To keep a copy in sync without webhooks, continue from the `updated_at` of the last message that you have.'),
  order: choice(['desc', 'asc'], 'Order by creation: newest (`desc`) or oldest (`asc`) first. Default: `desc`.'),
  include: choice(['timeline'], 'Adds the timeline to each message.'),
}) // prettier-ignore

export type HistoryView = Static<typeof HistorySchema>

export const historyOperation: ApiOperation<HistoryOperationDeps> = {
  id: 'listMessages',
  method: 'GET',
  path: '/api/v1/history',
  scope: 'messages:read',
  kind: 'read',
  summary: 'List messages',
  description: `Returns sent and received messages in pages, newest first. Filters are exact; a message must match all of them.

Paging is stable: while new messages arrive, none is repeated and none is missed. \`id\`, \`send_id\`, \`client_reference\`, \`to\` and the
times are indexed. The other filters read a bounded number of messages per page, so a page can have fewer than \`limit\`, even none, while
\`has_more\` is true: continue with \`next_cursor\`. Ascending pages and those by \`updated_after\` never pass by what is stored or changed later.

Messages of other accounts, or of the other mode, are not returned. By default texts are erased after 30 days (\`text: null\`) and
records after 90.`,
  query: HistoryQuerySchema,
  answers: {
    200: {
      description: 'One page of messages.',
      schema: HistorySchema,
      example: { object: 'list', data: [messageExample], has_more: true, next_cursor: 'AWx3…' },
      headers: {
        Link: { description: 'Link to the next page (RFC 8288), if there is one.', schema: Type.String() },
      },
    },
  },
  problems: ['invalid_query', 'invalid_cursor'],
  handle: answerHistory,
}

async function answerHistory(deps: HistoryOperationDeps, { caller, rawQuery }: ApiCall): Promise<Answer> {
  const owner = { accountId: caller.accountId, mode: caller.mode }
  const requested = readQuery(rawQuery)
  const { query, position } =
    requested.cursor === null
      ? { query: requested.query, position: null }
      : openCursor(deps.cursorKey, owner, requested.cursor)
  const { limit } = requested
  const read = deps.readOf(caller.accountId)
  const page = await readHistory(read, { owner, query, position, limit })
  const nextCursor =
    page.next === null ? null : sealCursor(deps.cursorKey, owner, { query, position: page.next })
  const body: HistoryView = {
    object: 'list',
    data: page.rows.map((row, i) => {
      const message = renderMessage(row)
      return page.timelines === null
        ? message
        : { ...message, timeline: (page.timelines[i] ?? []).map(renderEntry) }
    }),
    has_more: nextCursor !== null,
    next_cursor: nextCursor,
  }
  return {
    status: 200,
    body,
    ...(nextCursor === null ? {} : { headers: { link: linkTo(nextCursor, limit) } }),
  }
}

const linkTo = (cursor: string, limit: number): string =>
  `<${historyOperation.path}?limit=${limit}&cursor=${cursor}>; rel="next"`

const renderEntry = (entry: TimelineEntry) => ({
  status: entry.status,
  at: rfc3339(entry.atMs),
  attempt_id: entry.attemptId,
  device_id: entry.deviceId,
})

interface RequestedPage {
  limit: number
  cursor: string | null
  query: HistoryQuery
}

const id = (prefix: IdPrefix) =>
  textThat((value) => isId(prefix, value), `Must be an ID that begins with ${prefix}_.`)
const country = textThat(
  (value) => /^[A-Z]{2}$/.test(value),
  'Must be two capital letters, such as DE (ISO 3166-1 alpha-2).',
)
const reference = textWithPlus(
  textThat((value) => /^.{1,100}$/su.test(value), 'Must have 1 to 100 characters.'),
)

/** Reads and checks the parameters. Throws one `invalid_query` with all faults. */
function readQuery(raw: string): RequestedPage {
  const reader = new QueryReader(raw, Object.keys(HistoryQuerySchema.properties))
  const limit = reader.one('limit', wholeNumber(1, 100)) ?? 25
  const cursor = reader.one('cursor', String)
  const query: HistoryQuery = {
    ...everyMessage,
    ids: reader.many('id', 100, id('msg')),
    sendId: reader.one('send_id', id('snd')),
    clientReference: reader.one('client_reference', reference),
    statuses: reader.many('status', 100, word(messageStatuses)),
    errorCode: reader.one('error_code', word(messageErrorCodes)),
    direction: reader.one('direction', word(directions)),
    category: reader.one('category', word(categories)),
    deviceId: reader.one('device_id', id('dev')),
    to: reader.one('to', address),
    from: reader.one('from', sender),
    country: reader.one('country', country),
    createdAfterMs: reader.one('created_after', instant),
    createdBeforeMs: reader.one('created_before', instant),
    updatedAfterMs: reader.one('updated_after', instant),
    order: reader.one('order', word(['desc', 'asc'])) ?? everyMessage.order,
    timeline: reader.one('include', word(['timeline'])) !== null,
  }
  if (query.updatedAfterMs !== null && reader.has('order') && query.order === 'desc') {
    reader.fault('order', 'not_in_enum', '`updated_after` orders by the last change, oldest first.', 'asc')
  }
  if (cursor !== null) {
    for (const name of reader.names.filter((each) => each !== 'cursor' && each !== 'limit')) {
      reader.fault(
        name,
        'unknown_parameter',
        'Cannot be combined with `cursor`, which contains the whole query.',
      )
    }
  }
  reader.end()
  return { limit, cursor, query }
}
