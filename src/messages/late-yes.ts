import type { Tx } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import { selectEach } from '../storage/sets.ts'
import { advanceMessages } from './advance-messages.ts'
import type { MessageState } from './message-store.ts'
import { type AwaitedPart, awaitedPartsOf } from './receipt-readings.ts'

interface Told {
  deviceId: string
  receiptExpected: boolean
  accountId: string
  mode: Mode
  messageId: string
  attemptNumber: number
  atMs: number
  event: string
  knownIds?: readonly string[]
  inDoubt?: { attemptId: string; parts: readonly number[]; wireParts: number }
}

const unknownOf = {
  sql: `select id, message_id from attempts
        where account_id = :account and mode = :mode and message_id = :message and number = :number and state = 'unknown'`,
  inputs: ['account', 'mode', 'message', 'number'],
} as const

/**
 * A node that stood still tells the end of its hand-over as if nobody had ended it meanwhile. A yes of an attempt that stands as unknown is a late
 * one, and is given as such; everything else as it was. One statement more, for messages that wait again or are `unconfirmed` alone.
 */
export async function lateWhereEnded<S extends Told>(
  tx: Tx,
  settlements: readonly S[],
  messages: ReadonlyMap<string, MessageState>,
): Promise<S[]> {
  const asked = settlements.filter((each) => mayBeLate(each, messages.get(each.messageId)))
  if (asked.length === 0) return [...settlements]
  const rows = await selectEach<{ id: string; message_id: string }>(
    tx,
    unknownOf,
    asked.map((each) => [each.accountId, each.mode, each.messageId, each.attemptNumber]),
  )
  const attempts = new Map(rows.map(({ id, message_id }) => [message_id, id]))
  const late = new Set(asked)
  return settlements.map((each) => {
    const attemptId = late.has(each) ? attempts.get(each.messageId) : undefined
    return attemptId === undefined
      ? each
      : { ...each, knownIds: [], inDoubt: { attemptId, parts: [], wireParts: 0 } }
  })
}

const mayBeLate = ({ event, knownIds, attemptNumber }: Told, message: MessageState | undefined): boolean =>
  event === 'accepted' &&
  knownIds === undefined &&
  message?.attempts === attemptNumber &&
  (message.status === 'queued' || message.status === 'unconfirmed')

/**
 * Every receipt that a late yes may wait for can have come before it, where the part that it tells of has no id: then none is left to come, and its
 * message is delivered. `moved` are the messages as the yes left them, whose receipts to wait for are written. Gives those that moved on.
 */
export async function deliverIfAllHeard<S extends Told>(
  tx: Tx,
  moved: ReadonlyMap<S, MessageState | null>,
): Promise<ReadonlyMap<string, MessageState>> {
  const late = [...moved].flatMap(([settlement, message]) =>
    settlement.knownIds !== undefined && settlement.receiptExpected && message?.status === 'sent'
      ? [{ settlement, message }]
      : [],
  )
  if (late.length === 0) return new Map()
  const rows = await selectEach<AwaitedPart>(
    tx,
    awaitedPartsOf,
    late.map(({ settlement, message }) => [
      message.account_id,
      message.mode,
      message.sent_at,
      message.id,
      settlement.attemptNumber,
    ]),
  )
  const awaited = new Set(rows.map(({ message_id }) => message_id))
  const heard = late.filter(({ message }) => !awaited.has(message.id))
  const states = await advanceMessages(
    tx,
    heard.map(({ settlement: { deviceId, atMs }, message }) => ({
      message,
      event: 'receipt_delivered',
      atMs,
      deviceId,
      receiptExpected: true,
      partsTaken: message.parts,
      error: null,
    })),
  )
  return new Map(states.flatMap((state) => (state === null ? [] : [[state.id, state]])))
}
