import type { Tx } from '../../storage/seam/dialect.ts'
import type { MessageStatus, Payer } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { advanceMessages } from '../core/advance-messages.ts'
import type { Change } from '../core/change-number.ts'
import { dequeueFinal } from './dequeue.ts'
import type { MessageErrorCode } from '../core/message-errors.ts'
import { type MessageKey, type MessageState, readStates } from '../core/message-store.ts'
import type { OfferRow } from '../phones/phone-offers.ts'
import { recall } from '../phones/phone-recalls.ts'

/**
 * The result of canceling one message.
 * - `canceled`: it was queued, and nothing of it will be sent.
 * - `asked`: a phone holds it and was sent a recall. It becomes `canceled` when the phone confirms, and
 *   otherwise takes its course.
 * - `too_late`: it was submitted, or is final.
 * - `not_found`: the account has no such message.
 */
export interface Cancellation {
  messageId: string
  result: 'canceled' | 'asked' | 'too_late' | 'not_found'
  /** Its present status; null if it does not exist. */
  status: MessageStatus | null
  /** The phone with a stored recall: the sweeper `send-recalls` notifies it; the caller may do so sooner. */
  deviceId: string | null
  /** What would have paid for it; null if it does not exist. */
  paidBy: Payer | null
}

/**
 * Cancels messages by key, as one unit. Queued messages are canceled immediately and their hold is released;
 * offers to phones are recalled. Returns one result for each key, in their order.
 */
export async function cancelMessages(
  tx: Tx,
  unit: Change,
  keys: readonly MessageKey[],
  code: MessageErrorCode,
): Promise<Cancellation[]> {
  const known = new Map((await readStates(tx, keys)).map((state) => [nameOf(state), state]))
  const waiting = [...known.values()].filter(isWaiting)
  const states = await advanceMessages(
    tx,
    unit,
    waiting.map((message) => ({
      message,
      trigger: 'canceled',
      atMs: unit.nowMs,
      error: { code, networkCode: null },
    })),
  )
  await dequeueFinal(tx, waiting)
  const canceled = new Map(states.flatMap((state) => (state === null ? [] : [[nameOf(state), state]])))
  const offers = await offersOf(
    tx,
    [...known.values()].filter(({ status }) => status === 'sending'),
  )
  await recall(
    tx,
    [...offers.values()].map((offer) => offer.attempt_id),
    'cancel',
    unit.nowMs,
  )
  return keys.map((key) => {
    const name = nameOf({ account_id: key.accountId, mode: key.mode, id: key.messageId })
    const offer = offers.get(name)
    const done = canceled.get(name)
    const result =
      done !== undefined
        ? 'canceled'
        : offer !== undefined
          ? 'asked'
          : known.has(name)
            ? 'too_late'
            : 'not_found'
    const { status = null, paid_by: paidBy = null } = done ?? known.get(name) ?? {}
    return { messageId: key.messageId, result, status, deviceId: offer?.device_id ?? null, paidBy }
  })
}

const nameOf = ({ account_id, mode, id }: Pick<MessageState, 'account_id' | 'mode' | 'id'>): string =>
  `${account_id}/${mode}/${id}`

const isWaiting = ({ status }: MessageState): boolean => status === 'scheduled' || status === 'queued'

const offerOfOpen = {
  sql: `select o.account_id, o.mode, o.message_id, o.attempt_id, o.device_id, o.state
        from attempts a cross join phone_offers o on o.attempt_id = a.id
        where a.account_id = :account and a.mode = :mode and a.message_id = :message and a.ended_at is null and o.closed_at is null`,
  inputs: ['account', 'mode', 'message'],
} as const

/**
 * Reads the offers of messages that phones hold, by message. Omits those that a phone has given to the radio,
 * because it does not report progress on them.
 */
async function offersOf(
  tx: Tx,
  messages: readonly MessageState[],
): Promise<Map<string, Pick<OfferRow, 'attempt_id' | 'device_id'>>> {
  const rows = await selectEach<
    Pick<OfferRow, 'account_id' | 'mode' | 'message_id' | 'attempt_id' | 'device_id' | 'state'>
  >(
    tx,
    offerOfOpen,
    messages.map((message) => [message.account_id, message.mode, message.id]),
  )
  return new Map(
    rows
      .filter(({ state }) => state === null || state === 'pending')
      .map((row) => [nameOf({ ...row, id: row.message_id }), row]),
  )
}
