import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { type Advance, advanceMessages } from '../core/advance-messages.ts'
import { keyOfTry, readLastSubmitted, readTakenBefore } from './last-submitted.ts'
import { type MessageState, readStates } from '../core/message-store.ts'
import { type AwaitedPart, awaitedPartsOf } from './receipt-readings.ts'
import type { Settlement } from './settlement.ts'

type Messages = ReadonlyMap<string, MessageState>

const endedOf = {
  sql: `select id, message_id, number, state from attempts
        where account_id = :account and mode = :mode and message_id = :message and number = :number and state in ('unknown', 'accepted')`,
  inputs: ['account', 'mode', 'message', 'number'],
} as const

/**
 * Recognizes late acks of a node that was suspended: it reports the outcome of an attempt as if no other node
 * had finished it meanwhile. An ack of an attempt with unknown outcome is a late ack; that of an accepted
 * attempt is a repeat; both are returned as late acks. All other settlements are returned unchanged. Takes
 * one more statement, except for the first report on a message that is in flight.
 */
export async function lateWhereEnded(
  tx: Tx,
  settlements: readonly Settlement[],
  messages: Messages,
): Promise<Settlement[]> {
  const asked = settlements.filter((each) => mayBeLate(each, messages.get(each.messageId)))
  if (asked.length === 0) return [...settlements]
  const rows = await selectEach<{ id: string; message_id: string; number: number; state: string }>(
    tx,
    endedOf,
    asked.map((each) => [each.accountId, each.mode, each.messageId, each.attemptNumber]),
  )
  // A requeued message of an accepted attempt was corrected by mere evidence: a repeated ack moves nothing.
  const ended = rows.filter(
    ({ state, message_id }) => state === 'unknown' || messages.get(message_id)?.status !== 'queued',
  )
  const attempts = new Map(ended.map(({ id, message_id, number }) => [keyOfTry(message_id, number), id]))
  const late = new Set(asked)
  return settlements.map((each) => {
    const attemptId = late.has(each) ? attempts.get(keyOfTry(each.messageId, each.attemptNumber)) : undefined
    return attemptId === undefined
      ? each
      : { ...each, knownIds: [], inDoubt: { attemptId, parts: [], wireParts: 0 } }
  })
}

const mayBeLate = (
  { trigger, knownIds, attemptNumber }: Settlement,
  message: MessageState | undefined,
): boolean =>
  trigger === 'accepted' &&
  knownIds === undefined &&
  message !== undefined &&
  (message.attempts > attemptNumber || message.status !== 'sending')

/**
 * Returns the settlements that decide about their messages: those of the last attempt, and late acks of an
 * earlier one if nothing was submitted since. Not while the message is queued again: then its attempt has
 * finished, and reports on it are mere evidence, except for a late ack. A message that was sent, and whose
 * delivery is unknown, does not become `sent` again because its ack is repeated.
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
    if (message.attempts !== attemptNumber && !last.has(keyOfTry(messageId, attemptNumber))) return false
    return message.status === 'queued' ? isLateYes(each) : !isSaidTwice(each, message)
  })
}

/** A repeated ack of a message that was sent, and whose delivery is unknown. */
const isSaidTwice = ({ trigger }: Settlement, message: MessageState | undefined): boolean =>
  trigger === 'accepted' && message?.status === 'unconfirmed' && message.sent_at !== null

/** An ack of an attempt whose outcome was unknown. */
const isLateYes = ({ knownIds, trigger }: Settlement): boolean =>
  knownIds !== undefined && trigger === 'accepted'

/**
 * Returns the settlements that report something new. A repeat, as after a commit whose response was lost,
 * leaves the expected receipts unchanged; `taken` names the attempts whose late ack was known before.
 */
export function firstWordsOf(
  settlements: readonly Settlement[],
  {
    moved,
    before,
    taken,
  }: { moved: ReadonlyMap<Settlement, MessageState | null>; before: Messages; taken: ReadonlySet<string> },
): Settlement[] {
  return settlements.filter((each) => {
    const { messageId, attemptNumber } = each
    if (isLateYes(each))
      return (moved.get(each) ?? null) !== null || !taken.has(keyOfTry(messageId, attemptNumber))
    const message = before.get(messageId)
    if (message?.attempts === attemptNumber && isSaidTwice(each, message)) return false
    return moved.get(each) !== null || message?.status !== 'sent'
  })
}

/**
 * Adds the message of a late ack that moved nothing, because an earlier attempt sent the message, which still
 * waits: it waits for the receipts of both.
 */
export function withSentBefore(
  moved: ReadonlyMap<Settlement, MessageState | null>,
  before: Messages,
): ReadonlyMap<Settlement, MessageState | null> {
  const sentBefore = (settlement: Settlement) => {
    const message = before.get(settlement.messageId)
    const isWaiting = message?.status === 'sent' && message.finalized_at === null
    return isLateYes(settlement) && isWaiting ? message : null
  }
  return new Map([...moved].map(([settlement, message]) => [settlement, message ?? sentBefore(settlement)]))
}

const awaitedUnder = {
  sql: `select network_id, message_id from receipts_expected
        where network_id = :network and device_id = :device and message_id = :message and attempt_number = :number`,
  inputs: ['network', 'device', 'message', 'number'],
} as const

/**
 * Returns the acks of first attempts that arrived while the second one was open, if that submitted nothing:
 * they count now, and there is no third attempt. Each has the queue position of its second attempt, all its
 * IDs, and those that can still get receipts.
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
    const isAwaited = awaited.has(second.messageId)
    return {
      ...second,
      trigger: 'accepted',
      attemptState: 'accepted',
      outcome: 'accepted',
      attemptNumber: first.number,
      deviceId: first.device_id,
      networkIds: (awaited.get(second.messageId) ?? []).map(({ network_id }) => network_id),
      knownIds: idsOf(first.network_ids),
      inDoubt: { attemptId: first.id, parts: [], wireParts: 0 },
      receiptExpected: first.receipt_expected === null ? isAwaited : first.receipt_expected === 1,
      partsTaken: (messages.get(second.messageId) as MessageState).parts,
      error: null,
      requeue: null,
    } as const
  })
}

const idsOf = (networkIds: string | null): string[] => JSON.parse(networkIds ?? '[]') as string[]

/** True if the last attempt submitted nothing, even if reported late, and whether requeued or not. */
const isSecondRefused = (
  { attemptNumber, attemptState, partsTaken, networkIds }: Settlement,
  message: MessageState | undefined,
): boolean =>
  message !== undefined &&
  message.attempts > 1 &&
  message.attempts === attemptNumber &&
  (message.status === 'queued' || isOpen(message)) &&
  attemptState === 'refused' &&
  partsTaken === 0 &&
  networkIds.length === 0

/** New settlements of a unit, counted acks of first attempts, and messages before it and as moved by it. */
interface Unit {
  told: readonly Settlement[]
  counted: readonly Settlement[]
  before: Messages
  moved: ReadonlyMap<Settlement, MessageState | null>
}

/**
 * Finishes messages that a late ack leaves without receipts to wait for. If all of them arrived before the
 * ack, because the part that it reports had no ID, the message is delivered, even if a second attempt is
 * open. If the network has reused one of its IDs, or the ack waited for a second attempt and its receipts
 * were purged, delivery stays unknown. Runs after expected receipts were written. Returns the moved messages.
 */
export async function endIfAllHeard(
  tx: Tx,
  { told, counted, before, moved }: Unit,
): Promise<ReadonlyMap<string, MessageState>> {
  const late = [...told.filter(isLateYes), ...counted].filter(({ receiptExpected }) => receiptExpected)
  const asked = late.flatMap((settlement): Heard[] => {
    const message = moved.get(settlement)
    if (message?.status === 'sent') return [{ settlement, sentAt: message.sent_at, isKept: false }]
    const isKept = !moved.has(settlement) && isOpen(before.get(settlement.messageId))
    return isKept && wereKnown(settlement) ? [{ settlement, sentAt: settlement.atMs, isKept }] : []
  })
  if (asked.length === 0) return new Map()
  const rows = await selectEach<AwaitedPart>(
    tx,
    awaitedPartsOf,
    asked.map(({ settlement: { accountId, mode, messageId, attemptNumber }, sentAt }) => [
      accountId,
      mode,
      sentAt,
      messageId,
      attemptNumber,
    ]),
  )
  const awaited = new Set(rows.map((row) => keyOfTry(row.message_id, row.attempt_number)))
  const heard = asked.filter(
    ({ settlement: { messageId, attemptNumber } }) => !awaited.has(keyOfTry(messageId, attemptNumber)),
  )
  return heard.length === 0 ? new Map() : endHeard(tx, heard, new Set(counted))
}

/** True if the same session reported these IDs before. After days, a repeat may find its receipts purged. */
const wereKnown = ({ networkIds, knownIds = [] }: Settlement): boolean =>
  knownIds.length > 0 && networkIds.every((id) => knownIds.includes(id))

/** True if the outcome of the last attempt is still unknown. */
const isOpen = (message: MessageState | undefined): boolean =>
  message?.status === 'sending' || (message?.status === 'unconfirmed' && message.sent_at === null)

interface Heard {
  settlement: Settlement
  sentAt: number | null
  /** Mere evidence: it moved nothing, because a later attempt was submitted or is open. */
  isKept: boolean
}

async function endHeard(
  tx: Tx,
  heard: readonly Heard[],
  counted: ReadonlySet<Settlement>,
): Promise<ReadonlyMap<string, MessageState>> {
  const [states, overtaken] = await allDone([readNow(tx, heard), readOvertaken(tx, heard)])
  const ends = heard.flatMap(({ settlement, isKept }): Advance[] => {
    const message = states.get(settlement.messageId)
    // An ID that moved to another message in this unit has finished the wait of the former one.
    if (message === undefined || !(isKept ? isOpen(message) : message.status === 'sent')) return []
    const { atMs, deviceId, attemptNumber } = settlement
    if (!overtaken.has(message.id) && !counted.has(settlement)) {
      const whole = { deviceId, receiptExpected: true, partsTaken: message.parts, error: null }
      return [{ message, trigger: 'receipt_delivered', atMs, attemptNumber, ...whole }]
    }
    const error = { code: 'receipt_missing', networkCode: null }
    return isKept ? [] : [{ message, trigger: 'receipt_lost', atMs, error }]
  })
  const after = await advanceMessages(tx, ends)
  return new Map(after.flatMap((state) => (state === null ? [] : [[state.id, state]])))
}

async function readNow(tx: Tx, heard: readonly Heard[]): Promise<Messages> {
  const states = await readStates(
    tx,
    heard.map(({ settlement }) => settlement),
  )
  return new Map(states.map((state) => [state.id, state]))
}

const othersUnder = {
  sql: `select :message as message_id from receipts_expected
        where network_id = :network and device_id = :device and message_id <> :message`,
  inputs: ['network', 'device', 'message'],
} as const

/** Returns messages of which the network reused an ID: the receipt of that part is lost. */
async function readOvertaken(tx: Tx, late: readonly Heard[]): Promise<ReadonlySet<string>> {
  const rows = await selectEach<{ message_id: string }>(
    tx,
    othersUnder,
    late.flatMap(({ settlement: { networkIds, knownIds = [], deviceId, messageId } }) =>
      [...networkIds, ...knownIds].map((id) => [id, deviceId, messageId]),
    ),
  )
  return new Set(rows.map(({ message_id }) => message_id))
}
