import { takeChange } from '../../../messages/core/change-number.ts'
import { Type } from 'typebox'
import { rfc3339 } from '../../../runtime/clock.ts'
import { refuse } from '../../../runtime/errors.ts'
import { timeOfId } from '../../../runtime/ids.ts'
import { cancelMessages, type Cancellation } from '../../../messages/queue/cancel-messages.ts'
import { longestAheadMs, type SendTimeChange, moveMessages } from '../../../messages/queue/move-messages.ts'
import { openCursor, sealCursor } from '../../../messages/history/history-cursor.ts'
import { readHistory } from '../../../messages/history/history.ts'
import { everyMessage } from '../../../messages/history/history-query.ts'
import { searchHistory } from '../../../messages/history/history-search.ts'
import type { MessageStatus } from '../../../storage/tables/schema.ts'
import { appendAudit } from '../../../storage/seam/audit-log.ts'
import { type AccountContext, defineCall } from '../core/call.ts'
import { exportHistory } from './history-export-call.ts'
import { HistoryFilterInput, queryOf } from './history-filter.ts'
import { type ListedMessage, listMessage } from './listed-message.ts'
import { type HistoryNames, readHistoryNames } from './history-names.ts'
import { readMessagePage } from './message-page.ts'
import { sendAgain } from './send-again.ts'

export interface HistoryPageAnswer {
  rows: ListedMessage[]
  /** Cursor of the next page; null on the last one. */
  next: string | null
  /** How far back the search went, when the page is not full and there is a next one. */
  searchedToMs: number | null
}

const MessageId = Type.String({ pattern: '^msg_[0-7][0-9a-hjkmnp-tv-z]{25}$' })
const Instant = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 })
const maxRows = 100

/**
 * Maximum time to fill a page; then the page reports how far it searched. The rest of the 300 ms is the way
 * to the screen.
 */
const patienceMs = 120

export const historyCalls = {
  /** Returns one page of messages, newest first. */
  'history/page': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object(
      {
        filter: HistoryFilterInput,
        cursor: Type.Optional(Type.String({ maxLength: 6_000 })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxRows })),
      },
      { additionalProperties: false },
    ),
    async handle(context, { filter, cursor, limit = maxRows }): Promise<HistoryPageAnswer> {
      const { read, clock, ports } = context
      const owner = ownerOf(context)
      const { cursorKey } = ports.history
      const query = queryOf(filter)
      const position = cursor === undefined ? null : openCursor(cursorKey, owner, cursor).position
      const page = await searchHistory({ read, clock }, { owner, query, position, limit }, patienceMs)
      const isThin = page.next !== null && page.rows.length < limit
      return {
        rows: page.rows.map(listMessage),
        next: page.next === null ? null : sealCursor(cursorKey, owner, { query, position: page.next }),
        searchedToMs: isThin && page.next !== null ? timeOfId(page.next.id) : null,
      }
    },
  }),

  /** Returns the current state of these messages, without purged ones. */
  'history/rows': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object(
      { ids: Type.Array(MessageId, { minItems: 1, maxItems: maxRows }) },
      { additionalProperties: false },
    ),
    async handle(context, { ids }): Promise<{ rows: ListedMessage[] }> {
      const { rows } = await readHistory(context.read, {
        owner: ownerOf(context),
        query: { ...everyMessage, ids },
        position: null,
        limit: maxRows,
      })
      return { rows: rows.map(listMessage) }
    },
  }),

  /** Returns the names of devices, keys and users, for filters and rows. */
  'history/names': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, { additionalProperties: false }),
    handle: ({ read, account }): Promise<HistoryNames> => readHistoryNames(read, account),
  }),

  /** Returns all details of one message. */
  'history/message': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({ id: MessageId }, { additionalProperties: false }),
    handle: (context, { id }) => readMessagePage(context, id),
  }),

  /** Cancels a message that is not submitted yet, or recalls it from the phone that holds it. */
  'history/cancel': defineCall({
    kind: 'change',
    access: 'member',
    input: Type.Object({ id: MessageId }, { additionalProperties: false }),
    handle: (context, { id }) => cancel(context, id),
  }),

  /** Reschedules a scheduled message, up to 30 days ahead; a past time means immediately. */
  'history/move': defineCall({
    kind: 'change',
    access: 'member',
    input: Type.Object({ id: MessageId, sendAtMs: Instant }, { additionalProperties: false }),
    handle: (context, { id, sendAtMs }) => move(context, id, sendAtMs),
  }),

  /** Sends the text of a message to its number again. The same `key` sends once, however often it is used. */
  'history/send-again': defineCall({
    kind: 'change',
    access: 'member',
    input: Type.Object(
      { id: MessageId, key: Type.String({ pattern: '^[0-9a-f-]{36}$' }) },
      { additionalProperties: false },
    ),
    handle: (context, { id, key }): Promise<{ messageId: string }> => sendAgain(context, id, key),
  }),

  'history/export': exportHistory,
}

const ownerOf = ({ account }: AccountContext) => ({ accountId: account.id, mode: account.mode })

async function cancel(
  context: AccountContext,
  messageId: string,
): Promise<{ result: Cancellation['result']; status: MessageStatus | null }> {
  const { writer, clock, ids, account, actor, ports } = context
  const canceled = await writer.write(async (tx) => {
    const unit = await takeChange(tx, clock.now())
    const [found] = await cancelMessages(tx, unit, [{ ...ownerOf(context), messageId }], 'canceled_by_user')
    if (found === undefined || found.result === 'not_found')
      throw refuse('not_found', { detail: 'Message not found in this account and mode.' })
    const detail = { mode: account.mode, messages: [{ messageId, result: found.result }] }
    await appendAudit(
      tx,
      { ids, nowMs: unit.nowMs },
      { accountId: account.id, actor, action: 'messages.canceled', detail },
    )
    return found
  })
  if (canceled.deviceId !== null) ports.history.wakeDevice(canceled.deviceId)
  context.live.changed(account.id)
  return { result: canceled.result, status: canceled.status }
}

async function move(
  context: AccountContext,
  messageId: string,
  sendAtMs: number,
): Promise<Pick<SendTimeChange, 'result' | 'status' | 'sendAtMs'>> {
  const { writer, clock, ids, account, actor } = context
  if (sendAtMs > clock.now() + longestAheadMs)
    throw refuse('validation_failed', {
      errors: [{ pointer: '/sendAtMs', code: 'out_of_range', detail: 'Must be at most 30 days ahead.' }],
    })
  const moved = await writer.write(async (tx) => {
    const unit = await takeChange(tx, clock.now())
    const [found] = await moveMessages(tx, unit, [{ ...ownerOf(context), messageId }], sendAtMs)
    if (found === undefined || found.result === 'not_found')
      throw refuse('not_found', { detail: 'Message not found in this account and mode.' })
    const detail = {
      mode: account.mode,
      send_at: rfc3339(sendAtMs),
      messages: [{ messageId, result: found.result }],
    }
    await appendAudit(
      tx,
      { ids, nowMs: unit.nowMs },
      { accountId: account.id, actor, action: 'messages.moved', detail },
    )
    return found
  })
  context.live.changed(account.id)
  return { result: moved.result, status: moved.status, sendAtMs: moved.sendAtMs }
}
