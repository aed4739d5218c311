import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../runtime/clock.ts'
import { idPattern, type IdPrefix, isId } from '../../runtime/ids.ts'
import { messageErrorCodes } from '../../messages/core/message-errors.ts'
import { type HistoryDeps, readHistory } from '../../messages/history/history.ts'
import type { ReadOf } from '../../storage/seam/dialect.ts'
import { maxCursorLength, openCursor, sealCursor } from '../../messages/history/history-cursor.ts'
import { everyMessage, type HistoryQuery } from '../../messages/history/history-query.ts'
import type { TimelineEntry } from '../../messages/history/history-timeline.ts'
import type { Answer, Call, Operation } from '../operation.ts'
import { address, instant, QueryReader, sender, textThat, textWithPlus, wholeNumber, word } from '../query.ts'
import { messageExample } from './message-example.ts'
import { MessageSchema, renderMessage } from './message-view.ts'
import { oneOf, orNull } from '../../runtime/schemas.ts'
import { categories, directions, messageStatuses } from '../../storage/tables/column-values.ts' // prettier-ignore

export interface HistoryOperationDeps extends Omit<HistoryDeps, 'read'> {
  readOf: ReadOf
  /** At least 32 random bytes, derived from the secret of the instance. */
  cursorKey: Uint8Array
}

const TimelineEntrySchema = Type.Object({
  status: oneOf(messageStatuses, 'A state that the message reached.'),
  at: Type.String({ format: 'date-time', description: 'When.' }),
  attempt_id: orNull<string>('string', 'The hand-over that brought it there.'),
  device_id: orNull<string>('string', 'The device of that hand-over.'),
})

const HistorySchema = Type.Object({
  object: oneOf(['list'], 'What this object is.'),
  data: Type.Array(
    Type.Intersect([
      MessageSchema,
      Type.Object({
        timeline: Type.Optional(
          Type.Array(TimelineEntrySchema, {
            description: 'With `include=timeline`: one entry for each state reached, oldest first.',
          }),
        ),
      }),
    ]),
    {
      description:
        'The messages of this page. It may hold fewer than `limit`, even none, and have a next one.',
    },
  ),
  has_more: Type.Boolean({ description: 'Whether a next page exists.' }),
  next_cursor: orNull<string>('string', 'What to send as `cursor` for the next page; null on the last one.'),
})

/** An empty one is refused, whatever the parameter. */
const text = (description: string, more: Record<string, unknown> = {}) =>
  Type.Optional(Type.String({ minLength: 1, description, ...more }))
const choice = <const T extends string>(values: readonly T[], description: string) =>
  Type.Optional(oneOf(values, description))
const dateTime = (description: string) => text(description, { format: 'date-time' })

const HistoryQuerySchema = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Messages a page.' })),
  cursor: text('`next_cursor` of the page before. It carries the query: only `limit` may stand beside it.', { maxLength: maxCursorLength, pattern: '^[A-Za-z0-9_-]+$' }),
  id: Type.Optional(Type.Array(Type.String({ pattern: idPattern('msg') }), { maxItems: 100, description: 'Messages by id; repeat the parameter for several.' })),
  send_id: text('Messages of one send.', { pattern: idPattern('snd') }),
  client_reference: text('Messages with this reference of yours; write a `+` as `%2B`, a space as `%20`.', { minLength: 1, maxLength: 100 }),
  status: Type.Optional(Type.Array(oneOf(messageStatuses, 'A status.'), { maxItems: 100, description: 'Messages in one of these states; repeat the parameter for several.' })),
  error_code: text('Messages with this `error.code`.'),
  direction: choice(directions, 'Sent or received messages only.'),
  category: choice(categories, 'Messages of one category.'),
  device_id: text('Messages that this device has or had.', { pattern: idPattern('dev') }),
  to: text('Messages to this number; write its `+` as `%2B`.'),
  from: text('Messages from this sender; write a `+` as `%2B`, a space as `%20`.'),
  country: text('Messages to or from one country, ISO 3166-1 alpha-2.', { pattern: '^[A-Z]{2}$' }),
  created_after: dateTime('Created at this instant or later.'),
  created_before: dateTime('Created before this instant.'),
  updated_after: dateTime('Changed at this instant or later, in the order of the last change: to keep a copy in step without webhooks, ask again from the `updated_at` of the last message that you have.'),
  order: choice(['desc', 'asc'], 'By creation, newest or oldest first; `desc` when not given.'),
  include: choice(['timeline'], 'Adds its timeline to each message.'),
}) // prettier-ignore

export type HistoryView = Static<typeof HistorySchema>

export const historyOperation: Operation<HistoryOperationDeps> = {
  id: 'listMessages',
  method: 'GET',
  path: '/api/v1/history',
  scope: 'messages:read',
  kind: 'read',
  summary: 'The SMS handled for the account',
  description: `Sent and received messages, newest first, in pages. Filters are exact and all of them must hold.

Pages are found by key: while new messages arrive nothing is shown twice and nothing is left out. \`id\`, \`send_id\`, \`client_reference\`, \`to\` and the
times are indexed. The other filters look at a bounded number of messages a page, so a page may hold fewer than \`limit\`, even none, while
\`has_more\` is true: go on with \`next_cursor\`. Ascending pages and those by \`updated_after\` end at the oldest write that is under way.

What belongs to another account, or to the other mode, is simply absent. Unless the operator chose otherwise, texts are erased after 30 days (\`text: null\`) and
records after 90.`,
  query: HistoryQuerySchema,
  answers: {
    200: {
      description: 'One page.',
      schema: HistorySchema,
      example: { object: 'list', data: [messageExample], has_more: true, next_cursor: 'AWx3…' },
      headers: {
        Link: { description: 'The next page (RFC 8288), when there is one.', schema: Type.String() },
      },
    },
  },
  problems: ['invalid_query', 'invalid_cursor'],
  handle: answerHistory,
}

async function answerHistory(deps: HistoryOperationDeps, { caller, rawQuery }: Call): Promise<Answer> {
  const owner = { accountId: caller.accountId, mode: caller.mode }
  const asked = readQuery(rawQuery)
  const { query, position } =
    asked.cursor === null
      ? { query: asked.query, position: null }
      : openCursor(deps.cursorKey, owner, asked.cursor)
  const { limit } = asked
  const read = deps.readOf(caller.accountId)
  const page = await readHistory({ ...deps, read }, { owner, query, position, limit })
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

interface Asked {
  limit: number
  cursor: string | null
  query: HistoryQuery
}

const id = (prefix: IdPrefix) =>
  textThat((value) => isId(prefix, value), `Must be an id that begins with ${prefix}_.`)
const country = textThat(
  (value) => /^[A-Z]{2}$/.test(value),
  'Must be two capital letters, such as DE (ISO 3166-1 alpha-2).',
)
const reference = textWithPlus(
  textThat((value) => /^.{1,100}$/su.test(value), 'Must have 1 to 100 characters.'),
)

/** Reads and checks the parameters; throws `invalid_query` with every fault at once. */
function readQuery(raw: string): Asked {
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
    for (const name of reader.names.filter((given) => given !== 'cursor' && given !== 'limit')) {
      reader.fault(
        name,
        'unknown_parameter',
        'It may not stand beside `cursor`, which carries the whole query.',
      )
    }
  }
  reader.end()
  return { limit, cursor, query }
}
