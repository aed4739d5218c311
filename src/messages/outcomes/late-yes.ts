import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { type Advance, advanceMessages } from '../core/advance-messages.ts'
import { nameOfTry, readLastSubmitted, readTakenBefore } from './last-submitted.ts'
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
 * A node that stood still tells the end of its hand-over as if nobody had ended it meanwhile. A yes of an attempt that stands as unknown is a late
 * one, one that stands as taken is said again, and both are given as late ones; everything else as it was. One statement more, but not for what is
 * being sent, by its first word on it.
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
  // A message that waits again though its try stands as taken had it corrected by evidence alone: said again, that moves it no more than at first.
  const ended = rows.filter(
    ({ state, message_id }) => state === 'unknown' || messages.get(message_id)?.status !== 'queued',
  )
  const attempts = new Map(ended.map(({ id, message_id, number }) => [nameOfTry(message_id, number), id]))
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
  (message.attempts > attemptNumber || message.status !== 'sending')

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
const isSaidTwice = ({ event }: Settlement, message: MessageState | undefined): boolean =>
  event === 'accepted' && message?.status === 'unconfirmed' && message.sent_at !== null

/** Whether this tells that an attempt was taken of which nobody knew. */
const isLateYes = ({ knownIds, event }: Settlement): boolean => knownIds !== undefined && event === 'accepted'

/**
 * Those that tell something new. Said again, as after a commit whose answer was lost, a word leaves what its message waits for as the first one left it;
 * `taken` names the tries that a late yes had told of before.
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
      return (moved.get(each) ?? null) !== null || !taken.has(nameOfTry(messageId, attemptNumber))
    const message = before.get(messageId)
    if (message?.attempts === attemptNumber && isSaidTwice(each, message)) return false
    return moved.get(each) !== null || message?.status !== 'sent'
  })
}

/** With a late yes to the last submitted try that moved nothing, because its message was sent by an earlier one and waits, stands that message: it waits for the receipts of both. */
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
 * A yes to a first try that came while the second was open waits for what becomes of that one: where nothing was submitted, it counts now, and no third
 * goes. Gives those yeses, each at the place of the second try in the queue, with all its ids, and those under which receipts may still come.
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
      event: 'accepted',
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

/** Nothing of the last try was submitted: told in time, or of one that was given up as unknown, whether its message waits again or not. */
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

/** What a unit was told that is new, the yeses to first tries that it counts, and its messages: before it, and as the words about them moved them. */
interface Unit {
  told: readonly Settlement[]
  counted: readonly Settlement[]
  before: Messages
  moved: ReadonlyMap<Settlement, MessageState | null>
}

/**
 * Every receipt that a late yes may wait for can have come before it, where the part that it tells of has no id: then none is left to come, and its
 * message is delivered, even where a second try is open; or nobody will ever know, where the network gave one of its ids to another meanwhile, and where
 * the yes waited for the end of a second try, and its receipts were forgotten by then. What there is to wait for is written. Gives those that moved on.
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
  const awaited = new Set(rows.map((row) => nameOfTry(row.message_id, row.attempt_number)))
  const heard = asked.filter(
    ({ settlement: { messageId, attemptNumber } }) => !awaited.has(nameOfTry(messageId, attemptNumber)),
  )
  return heard.length === 0 ? new Map() : endHeard(tx, heard, new Set(counted))
}

/** Its ids were told before, by the same session: of a yes that is repeated after days the waits may be forgotten. */
const wereKnown = ({ networkIds, knownIds = [] }: Settlement): boolean =>
  knownIds.length > 0 && networkIds.every((id) => knownIds.includes(id))

/** Nobody knows yet what became of its last try. */
const isOpen = (message: MessageState | undefined): boolean =>
  message?.status === 'sending' || (message?.status === 'unconfirmed' && message.sent_at === null)

interface Heard {
  settlement: Settlement
  sentAt: number | null
  /** Evidence alone: it moved nothing, because a later try was submitted, or is open. */
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
    // An id that went to another message in this very unit has ended the wait of its first one.
    if (message === undefined || !(isKept ? isOpen(message) : message.status === 'sent')) return []
    const { atMs, deviceId } = settlement
    if (!overtaken.has(message.id) && !counted.has(settlement)) {
      const whole = { deviceId, receiptExpected: true, partsTaken: message.parts, error: null }
      return [{ message, event: 'receipt_delivered', atMs, ...whole }]
    }
    const error = { code: 'receipt_missing', networkCode: null }
    return isKept ? [] : [{ message, event: 'receipt_lost', atMs, error }]
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

/** Messages one of whose ids the network has given to another since: of that part no receipt will be known. */
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
