import { allDone } from '../../runtime/all-done.ts'
import { referenceOfPart } from '../../sms/part-reference.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { addToRows, deleteRows, insertRows, selectEach, updateRows } from '../../storage/seam/sets.ts'
import { advanceMessages } from '../core/advance-messages.ts'
import { cancelClosedAccount } from '../queue/cancel-closed-account.ts'
import { endDoubts } from './end-doubts.ts'
import { readMembers } from './group-members.ts'
import { raisedTo } from '../core/history-floor.ts'
import { dequeueFinal } from '../queue/dequeue.ts'
import { expectReceipts } from './expect-receipts.ts'
import {
  currentOf,
  endIfAllHeard,
  firstWordsOf,
  lateWhereEnded,
  withSentBefore,
  yesesBefore,
} from './late-yes.ts'
import { type MessageState, readStates } from '../core/message-store.ts'
import { priorityOf } from '../core/route-key.ts'
import { takeParked, takeParkedAbout } from './parked-receipts.ts'
import { heldRow, queueKey, queueKeyOf } from '../queue/queue-position.ts'
import type { ReceiptWord } from './receipt-readings.ts'
import { queueTotalShape } from '../queue/queue-totals.ts'
import { settleReceipts } from './settle-receipts.ts'
import type { Settlement } from './settlement.ts'

/**
 * Settles a batch of attempts as one unit: attempt records, states, cost, queue and expected receipts. The
 * result of an attempt that is no longer current is kept as evidence and moves nothing. Writes no time before
 * `floor`. Returns the new states, null where nothing moved.
 */
export async function settleOutcomes(
  tx: Tx,
  told: readonly Settlement[],
  floor: Promise<number> = Promise.resolve(0),
): Promise<(MessageState | null)[]> {
  const lastTries = lastTriesOf(told)
  const yeses = told.filter(
    ({ trigger, messageId, attemptNumber }) =>
      trigger === 'accepted' && attemptNumber < (lastTries.get(messageId) as number),
  )
  if (yeses.length === 0) return settleTogether(tx, told, floor)
  const rest = told.filter((each) => !yeses.includes(each))
  const states = new Map<Settlement, MessageState | null>()
  // The result of the second attempt depends on what is known of the first.
  for (const each of [yeses, rest])
    for (const [i, state] of (await settleTogether(tx, each, floor)).entries())
      states.set(each[i] as Settlement, state)
  return told.map((each) => states.get(each) ?? null)
}

function lastTriesOf(told: readonly Settlement[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>()
  for (const { messageId, attemptNumber } of told)
    last.set(messageId, Math.max(attemptNumber, last.get(messageId) ?? 0))
  return last
}

async function settleTogether(
  tx: Tx,
  told: readonly Settlement[],
  floor: Promise<number>,
): Promise<(MessageState | null)[]> {
  const [before, floorMs] = await allDone([readStates(tx, told), floor])
  const rows = new Map(before.map((row) => [row.id, row]))
  const settlements = await lateWhereEnded(tx, raisedTo(floorMs, told), rows)
  const known = await endDoubts(tx, settlements.filter(isLate), rows)
  const yeses = await yesesBefore(tx, settlements, rows)
  const current = [...yeses, ...(await currentOf(tx, settlements, rows))]
  const states = await advanceMessages(
    tx,
    current.map((settlement) => ({
      ...settlement,
      message: rows.get(settlement.messageId) as MessageState,
    })),
  )
  await cancelSecondTries(
    tx,
    current.map(({ messageId }) => rows.get(messageId) as MessageState),
    states,
  )
  // A later settlement of the same batch can move a message that an earlier one requeued: the last state
  // counts.
  const last = new Map(states.flatMap((state) => (state === null ? [] : [[state.id, state]])))
  const back = [...last.values()].filter(({ status }) => status === 'queued')
  const closed = await cancelRequeued(tx, back, settlements)
  const moved = new Map(
    current.map((settlement, i) => [settlement, closed.get(settlement.messageId) ?? states[i] ?? null]),
  )
  // A receipt can have finished the message while this attempt was open: then nothing moves, but its queue
  // row is removed.
  const ended = current.filter(
    (settlement) => moved.get(settlement) !== null || isDone(rows.get(settlement.messageId)),
  )
  const first = firstWordsOf(settlements, { moved, before: rows, taken: known.taken })
  const held = await heldOf(tx, ended)
  // Posted together and run in this order: a requeued message leaves the queue first.
  const [, , , , early] = await allDone([
    back.length > 0 ? 0 : writeAttempts(tx, settlements),
    deleteRows(tx, 'queue', queueKey, ended.map(queueKeyOf)),
    requeue(tx, ended, { moved, back: new Set(back), held }),
    expectReceipts(tx, [...yeses, ...first], {
      moved: withSentBefore(moved, rows),
      heard: known.heard,
      nowMs: latestOf(settlements),
    }),
    takeEarly(tx, [...yeses, ...settlements]),
  ])
  const delivered = await endIfAllHeard(tx, { told: first, counted: yeses, before: rows, moved })
  const written = Promise.resolve(latestOf(settlements))
  if (early.length > 0) await settleReceipts(tx, early, written)
  await applyParkedInDoubt(tx, moved, written)
  const taken = new Map(yeses.map((yes) => [yes.messageId, moved.get(yes) ?? null]))
  return settlements.map(
    (each) => delivered.get(each.messageId) ?? moved.get(each) ?? taken.get(each.messageId) ?? null,
  )
}

const isLate = ({ knownIds }: Settlement): boolean => knownIds !== undefined

const writeAttempts = (tx: Tx, settlements: readonly Settlement[]): Promise<number> =>
  updateRows(tx, 'attempts', ['account_id', 'mode', 'message_id', 'number'], settlements.map(attemptRow))

/**
 * Cancels requeued messages of closed accounts. Their attempts are written before: they say what is charged, and who
 * pays.
 */
async function cancelRequeued(
  tx: Tx,
  back: readonly MessageState[],
  settlements: readonly Settlement[],
): Promise<ReadonlyMap<string, MessageState>> {
  if (back.length === 0) return new Map()
  await writeAttempts(tx, settlements)
  return cancelClosedAccount(tx, back, latestOf(settlements))
}

/** Removes requeued messages whose first attempt was accepted after all: there is no further attempt (P6). */
async function cancelSecondTries(
  tx: Tx,
  before: readonly MessageState[],
  after: readonly (MessageState | null)[],
): Promise<void> {
  const waited = before.filter((message, i) => message.status === 'queued' && (after[i] ?? null) !== null)
  if (waited.length > 0) await dequeueFinal(tx, waited)
}

const isDone = (message: MessageState | undefined): boolean =>
  message !== undefined && message.finalized_at !== null

const attemptRow = (settlement: Settlement) => ({
  account_id: settlement.accountId,
  mode: settlement.mode,
  message_id: settlement.messageId,
  number: settlement.attemptNumber,
  state: settlement.attemptState,
  parts_sent: settlement.partsTaken,
  network_ids: settlement.networkIds.length === 0 ? null : JSON.stringify(settlement.networkIds),
  receipt_expected: settlement.receiptExpected ? (1 as const) : (0 as const),
  outcome: settlement.outcome,
  network_code: settlement.error?.networkCode ?? null,
  ended_at: settlement.atMs,
})

/**
 * Returns the requeued messages that a restore holds: they stay held until the operator has decided (P14).
 */
async function heldOf(tx: Tx, ended: readonly Settlement[]): Promise<ReadonlySet<string>> {
  const back = ended.filter((settlement) => settlement.requeue !== null)
  const rows = await selectEach<{ message_id: string }>(
    tx,
    heldRow,
    back.map((settlement) => Object.values(queueKeyOf(settlement))),
  )
  return new Set(rows.map(({ message_id }) => message_id))
}

/**
 * Requeues messages at a later time, unclaimed, and counts them as queued again. Only those that are still
 * queued after the whole batch.
 */
async function requeue(
  tx: Tx,
  ended: readonly Settlement[],
  after: {
    moved: ReadonlyMap<Settlement, MessageState | null>
    back: ReadonlySet<MessageState>
    held: ReadonlySet<string>
  },
): Promise<void> {
  const back = ended.flatMap((settlement) => {
    const message = after.moved.get(settlement) ?? null
    return settlement.requeue === null || message === null || !after.back.has(message)
      ? []
      : [{ ...settlement, message, again: settlement.requeue }]
  })
  await allDone([
    insertRows(
      tx,
      'queue',
      back.map(({ message, position, again }) => ({
        route_key: again.routeKey ?? position.route_key,
        account_id: message.account_id,
        priority: priorityOf(message.category),
        due_at: again.dueAt,
        message_id: message.id,
        mode: message.mode,
        parts: message.parts,
        expires_at: message.expires_at as number,
        changed_at: message.updated_at,
        refusals: again.refusals,
        restore_hold: after.held.has(message.id) ? (1 as const) : (0 as const),
      })),
    ),
    addToRows(
      tx,
      'queue_totals',
      queueTotalShape,
      back.map(({ message, position, again }) => ({
        account_id: message.account_id,
        mode: message.mode,
        route_key: again.routeKey ?? position.route_key,
        messages: 1,
        parts: message.parts,
        next_expiry_at: message.expires_at as number,
      })),
    ),
  ])
}

const latestOf = (settlements: readonly Settlement[]): number =>
  settlements.reduce((latest, { atMs }) => Math.max(latest, atMs), 0)

/** Returns unmatched receipts that arrived before the response to their submission: now they match. */
const takeEarly = (tx: Tx, settlements: readonly Settlement[]): Promise<ReceiptWord[]> =>
  takeParked(
    tx,
    settlements.flatMap(({ networkIds, ...attempt }) =>
      networkIds.map((networkId, part) => ({
        ...attempt,
        networkId,
        reference: referenceOfPart(attempt.attemptId, part),
      })),
    ),
  )

/** Does the same for parts with unknown outcome, whose IDs were not reported. */
async function applyParkedInDoubt(
  tx: Tx,
  moved: ReadonlyMap<Settlement, MessageState | null>,
  floor: Promise<number>,
): Promise<void> {
  const group = await readMembers(tx, [...moved.keys()])
  const about = [...moved].flatMap(([settlement, message]) =>
    message === null || (settlement.inDoubt?.parts.length ?? 0) === 0
      ? []
      : group.of(settlement).map((deviceId) => ({ deviceId, recipient: message.recipient })),
  )
  const words = about.length === 0 ? [] : await takeParkedAbout(tx, about)
  if (words.length > 0) await settleReceipts(tx, words, floor)
}
