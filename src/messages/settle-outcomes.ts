import type { Tx } from '../storage/dialect.ts'
import type { AttemptState } from '../storage/schema.ts'
import { addToRows, deleteRows, insertRows, selectEach, updateRows } from '../storage/sets.ts'
import { advanceMessages } from './advance-messages.ts'
import { type Claimed, queueKey, queueKeyOf } from './claim-messages.ts'
import { type MessageKey, type MessageState, priorityOf, readStates } from './message-store.ts'
import { type ReceiptWord, settleReceipts } from './settle-receipts.ts'
import { queueTotalShape } from './send-messages.ts'
import type { MessageEvent } from './state.ts'

/** The end of one attempt, already judged: what it means for the message is decided by the dispatcher's retry policy. */
export interface Settlement {
  claimed: Claimed
  event: MessageEvent
  attemptState: Exclude<AttemptState, 'handing_over'>
  atMs: number
  /** A word for the attempt's record: the outcome's kind or the refusal's code. */
  outcome: string
  networkIds: readonly string[]
  receiptExpected: boolean
  partsTaken: number
  error: { code: string; networkCode: string | null } | null
  /** Where the message goes back to the queue: when it is due, and how many refusals count against it. */
  requeue: { dueAt: number; refusals: number } | null
  possibleDuplicate: boolean
}

/**
 * Ends a batch of attempts as one unit: attempt records, states, money, queue and the receipts to wait for. Trusts the state that the
 * claim left, and throws `StaleMessage` when it no longer holds: then `settleOutcomesAfresh` is for it.
 */
export const settleOutcomes = (tx: Tx, settlements: readonly Settlement[]): Promise<(MessageState | null)[]> =>
  settle(tx, settlements, new Map(settlements.map(({ claimed }) => [claimed.message.id, claimed.message])))

/**
 * The same on the stored states. A result for an attempt that is no longer the message's current one is kept as evidence and moves
 * nothing. Gives the new states, null where nothing moved.
 */
export async function settleOutcomesAfresh(tx: Tx, settlements: readonly Settlement[]): Promise<(MessageState | null)[]> {
  const rows = await readStates(tx, settlements.map(({ claimed }) => keyOf(claimed)))
  return settle(tx, settlements, new Map(rows.map((row) => [row.id, row])))
}

async function settle(
  tx: Tx,
  settlements: readonly Settlement[],
  rows: ReadonlyMap<string, MessageState>,
): Promise<(MessageState | null)[]> {
  const current = settlements.filter(({ claimed }) => rows.get(claimed.message.id)?.attempts === claimed.attemptNumber)
  const states = await advanceMessages(
    tx,
    current.map((settlement) => ({
      message: rows.get(settlement.claimed.message.id) as MessageState,
      event: settlement.event,
      atMs: settlement.atMs,
      deviceId: settlement.claimed.deviceId,
      receiptExpected: settlement.receiptExpected,
      partsTaken: settlement.partsTaken,
      error: settlement.error,
      possibleDuplicate: settlement.possibleDuplicate,
    })),
  )
  const moved = new Map(current.map((settlement, i) => [settlement, states[i] ?? null]))
  const ended = current.filter((settlement) => moved.get(settlement) !== null)
  await Promise.all([
    updateRows(tx, 'attempts', ['account_id', 'mode', 'message_id', 'number'], settlements.map(attemptRow)),
    deleteRows(tx, 'queue', queueKey, ended.map(({ claimed }) => queueKeyOf(claimed))),
  ])
  await Promise.all([requeue(tx, ended), expectReceipts(tx, settlements, moved)])
  await applyParked(tx, settlements)
  return settlements.map((settlement) => moved.get(settlement) ?? null)
}

const keyOf = ({ message }: Claimed): MessageKey => ({ accountId: message.account_id, mode: message.mode, messageId: message.id })

const attemptRow = (settlement: Settlement) => ({
  account_id: settlement.claimed.message.account_id,
  mode: settlement.claimed.message.mode,
  message_id: settlement.claimed.message.id,
  number: settlement.claimed.attemptNumber,
  state: settlement.attemptState,
  parts_sent: settlement.partsTaken,
  network_ids: settlement.networkIds.length === 0 ? null : JSON.stringify(settlement.networkIds),
  outcome: settlement.outcome,
  network_code: settlement.error?.networkCode ?? null,
  ended_at: settlement.atMs,
})

/** Back to the queue, at a later time and unclaimed; it counts as waiting again. */
async function requeue(tx: Tx, ended: readonly Settlement[]): Promise<void> {
  const back = ended.flatMap(({ claimed, requeue }) => (requeue === null ? [] : [{ claimed, requeue }]))
  await Promise.all([
    insertRows(
      tx,
      'queue',
      back.map(({ claimed: { message, route_key }, requeue }) => ({
        route_key,
        account_id: message.account_id,
        priority: priorityOf(message.category),
        due_at: requeue.dueAt,
        message_id: message.id,
        mode: message.mode,
        parts: message.parts,
        expires_at: message.expires_at as number,
        refusals: requeue.refusals,
      })),
    ),
    addToRows(
      tx,
      'queue_totals',
      queueTotalShape,
      back.map(({ claimed: { message, route_key } }) => ({
        account_id: message.account_id,
        mode: message.mode,
        route_key,
        messages: 1,
        parts: message.parts,
        next_expiry_at: message.expires_at as number,
      })),
    ),
  ])
}

/** Parts that were taken may still be reported on. Of a message that is final already nobody waits; a late word may correct it. */
async function expectReceipts(tx: Tx, settlements: readonly Settlement[], moved: ReadonlyMap<Settlement, MessageState | null>): Promise<void> {
  const rows = settlements
    .filter((settlement) => settlement.receiptExpected)
    .flatMap((settlement) =>
      settlement.networkIds.map((networkId) => ({
        network_id: networkId,
        device_id: settlement.claimed.deviceId,
        account_id: settlement.claimed.message.account_id,
        mode: settlement.claimed.message.mode,
        message_id: settlement.claimed.message.id,
        attempt_number: settlement.claimed.attemptNumber,
        wire_parts: settlement.networkIds.length,
        sent_at: settlement.atMs,
        closed_at: moved.get(settlement)?.status === 'sent' ? null : settlement.atMs,
      })),
    )
  await insertRows(tx, 'receipts_expected', rows, 'ignore')
}

const parkedOf = {
  sql: 'select device_id, body from parked_receipts where network_id = :network and device_id = :device',
  inputs: ['network', 'device'],
} as const

/** Receipts that overtook the answer to their submit were parked; now they find their message. */
async function applyParked(tx: Tx, settlements: readonly Settlement[]): Promise<void> {
  const ids = settlements.flatMap(({ networkIds, claimed }) => networkIds.map((networkId) => [networkId, claimed.deviceId]))
  const parked = await selectEach<{ device_id: string; body: string }>(tx, parkedOf, ids)
  if (parked.length === 0) return
  const words = parked.map((row) => ({ ...(JSON.parse(row.body) as Omit<ReceiptWord, 'deviceId'>), deviceId: row.device_id }))
  await deleteRows(tx, 'parked_receipts', ['network_id', 'device_id'], words.map((word) => ({ network_id: word.networkId, device_id: word.deviceId })))
  await settleReceipts(tx, words)
}
