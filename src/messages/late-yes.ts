import type { Tx } from '../storage/dialect.ts'
import { selectEach } from '../storage/sets.ts'
import { advanceMessages } from './advance-messages.ts'
import { nameOfTry, readLastSubmitted, readTakenBefore } from './last-submitted.ts'
import { type MessageState, readStates } from './message-store.ts'
import { type AwaitedPart, awaitedPartsOf } from './receipt-readings.ts'
import type { Settlement } from './settlement.ts'

type Messages = ReadonlyMap<string, MessageState>

const unknownOf = {
  sql: `select id, message_id, number from attempts
        where account_id = :account and mode = :mode and message_id = :message and number = :number and state = 'unknown'`,
  inputs: ['account', 'mode', 'message', 'number'],
} as const

/**
 * A node that stood still tells the end of its hand-over as if nobody had ended it meanwhile. A yes of an attempt that stands as unknown is a late
 * one, and is given as such; everything else as it was. One statement more, for messages that wait again, were claimed again or are `unconfirmed` alone.
 */
export async function lateWhereEnded(
  tx: Tx,
  settlements: readonly Settlement[],
  messages: Messages,
): Promise<Settlement[]> {
  const asked = settlements.filter((each) => mayBeLate(each, messages.get(each.messageId)))
  if (asked.length === 0) return [...settlements]
  const rows = await selectEach<{ id: string; message_id: string; number: number }>(
    tx,
    unknownOf,
    asked.map((each) => [each.accountId, each.mode, each.messageId, each.attemptNumber]),
  )
  const attempts = new Map(rows.map(({ id, message_id, number }) => [nameOfTry(message_id, number), id]))
  const late = new Set(asked)
  return settlements.map((each) => {
    const attemptId = late.has(each) ? attempts.get(nameOfTry(each.messageId, each.attemptNumber)) : undefined
    return attemptId === undefined
      ? each
      : { ...each, knownIds: [], inDoubt: { attemptId, parts: [], wireParts: 0 } }
  })
}

const mayBeLate = (
  { event, knownIds, attemptNumber }: Settlement,
  message: MessageState | undefined,
): boolean =>
  event === 'accepted' &&
  knownIds === undefined &&
  message !== undefined &&
  (message.attempts > attemptNumber || message.status === 'queued' || message.status === 'unconfirmed')

/**
 * Which of these words are about what their messages are: of their last try, or a late yes to an earlier one while nothing was submitted since. Not
 * while the message waits again: then its attempt has ended before, and what is said of it now is evidence alone, but for a late yes. A message that
 * was sent, and of which nobody knows if it arrived, does not become `sent` again because its yes is said twice.
 */
export async function currentOf(
  tx: Tx,
  settlements: readonly Settlement[],
  messages: Messages,
): Promise<Settlement[]> {
  const earlier = settlements.filter((each) => {
    const message = messages.get(each.messageId)
    return isLateYes(each) && message !== undefined && message.attempts > each.attemptNumber
  })
  const last = earlier.length === 0 ? new Set() : await readLastSubmitted(tx, earlier)
  return settlements.filter((each) => {
    const { messageId, attemptNumber } = each
    const message = messages.get(messageId)
    if (message === undefined) return false
    if (message.attempts !== attemptNumber && !last.has(nameOfTry(messageId, attemptNumber))) return false
    return message.status === 'queued' ? isLateYes(each) : !isSaidTwice(each, message)
  })
}

/** A yes of a message that was sent, and of which nobody knows any more whether it arrived. */
export const isSaidTwice = ({ event }: Settlement, message: MessageState | undefined): boolean =>
  event === 'accepted' && message?.status === 'unconfirmed' && message.sent_at !== null

/** Whether this tells that an attempt was taken of which nobody knew. */
const isLateYes = ({ knownIds, event }: Settlement): boolean => knownIds !== undefined && event === 'accepted'

const awaitedUnder = {
  sql: `select network_id, message_id from receipts_expected
        where network_id = :network and device_id = :device and message_id = :message and attempt_number = :number`,
  inputs: ['network', 'device', 'message', 'number'],
} as const

/**
 * A yes to a first try that came while the second was open waits for the end of that one: where nothing was submitted, it counts now, and no third
 * goes. Gives those yeses, each at the place of the second try in the queue, with the ids under which receipts may still come.
 */
export async function yesesBefore(
  tx: Tx,
  settlements: readonly Settlement[],
  messages: Messages,
): Promise<Settlement[]> {
  const refused = settlements.filter((each) => isSecondRefused(each, messages.get(each.messageId)))
  if (refused.length === 0) return []
  const seconds = [...new Map(refused.map((each) => [each.messageId, each])).values()]
  const taken = await readTakenBefore(tx, seconds)
  const rows = await selectEach<{ network_id: string; message_id: string }>(
    tx,
    awaitedUnder,
    [...taken.values()].flatMap(({ network_ids, device_id, message_id, number }) =>
      idsOf(network_ids).map((id) => [id, device_id, message_id, number]),
    ),
  )
  const awaited = Map.groupBy(rows, ({ message_id }) => message_id)
  return seconds.flatMap((second) => {
    const first = taken.get(second.messageId)
    if (first === undefined) return []
    return {
      ...second,
      event: 'accepted',
      attemptState: 'accepted',
      outcome: 'accepted',
      attemptNumber: first.number,
      deviceId: first.device_id,
      networkIds: (awaited.get(second.messageId) ?? []).map(({ network_id }) => network_id),
      knownIds: idsOf(first.network_ids),
      inDoubt: { attemptId: first.id, parts: [], wireParts: 0 },
      receiptExpected: first.receipt_expected === 1,
      partsTaken: (messages.get(second.messageId) as MessageState).parts,
      error: null,
      requeue: null,
    } as const
  })
}

const idsOf = (networkIds: string | null): string[] => JSON.parse(networkIds ?? '[]') as string[]

/** A late no is told of a try of which nobody knew: of a message that is `unconfirmed`, and was not sent. */
const isSecondRefused = (
  { attemptNumber, attemptState, partsTaken, networkIds, knownIds }: Settlement,
  message: MessageState | undefined,
): boolean =>
  message !== undefined &&
  message.attempts > 1 &&
  message.attempts === attemptNumber &&
  (message.status === 'sending' ||
    (message.status === 'unconfirmed' && message.sent_at === null && knownIds !== undefined)) &&
  attemptState === 'refused' &&
  partsTaken === 0 &&
  networkIds.length === 0

/**
 * Every receipt that a late yes may wait for can have come before it, where the part that it tells of has no id: then none is left to come, and its
 * message is delivered; or nobody will ever know, where the network gave one of its ids to another meanwhile. `moved` are the messages as the yes left
 * them, whose receipts to wait for are written. Gives those that moved on.
 */
export async function deliverIfAllHeard(
  tx: Tx,
  moved: ReadonlyMap<Settlement, MessageState | null>,
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
  const heard = await stillSent(
    tx,
    late.filter(({ message }) => !awaited.has(message.id)),
  )
  const overtaken = await readOvertaken(tx, heard)
  const states = await advanceMessages(
    tx,
    heard.map(({ settlement: { deviceId, atMs }, message }) =>
      overtaken.has(message.id)
        ? { message, event: 'receipt_lost', atMs, error: { code: 'receipt_missing', networkCode: null } }
        : {
            message,
            event: 'receipt_delivered',
            atMs,
            deviceId,
            receiptExpected: true,
            partsTaken: message.parts,
            error: null,
          },
    ),
  )
  return new Map(states.flatMap((state) => (state === null ? [] : [[state.id, state]])))
}

interface Heard {
  settlement: Settlement
  message: MessageState
}

/** An id that went to another message in this very unit has ended the wait of its first one. */
async function stillSent(tx: Tx, heard: readonly Heard[]): Promise<Heard[]> {
  const states = await readStates(
    tx,
    heard.map(({ settlement }) => settlement),
  )
  const sent = new Set(states.filter(({ status }) => status === 'sent').map(({ id }) => id))
  return heard.filter(({ message }) => sent.has(message.id))
}

const othersUnder = {
  sql: `select :message as message_id from receipts_expected
        where network_id = :network and device_id = :device and message_id <> :message`,
  inputs: ['network', 'device', 'message'],
} as const

/** Messages one of whose ids the network has given to another since: of that part no receipt will be known. */
async function readOvertaken(tx: Tx, late: readonly Heard[]): Promise<ReadonlySet<string>> {
  const rows = await selectEach<{ message_id: string }>(
    tx,
    othersUnder,
    late.flatMap(({ settlement: { networkIds, knownIds = [], deviceId }, message }) =>
      [...networkIds, ...knownIds].map((id) => [id, deviceId, message.id]),
    ),
  )
  return new Set(rows.map(({ message_id }) => message_id))
}
