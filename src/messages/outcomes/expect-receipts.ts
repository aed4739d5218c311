import type { Tx } from '../../storage/seam/dialect.ts'
import { insertRows, updateRows } from '../../storage/seam/sets.ts'
import { readJson } from '../../storage/tables/json-columns.ts'
import type { Change } from '../core/change-number.ts'
import type { MessageState } from '../core/message-store.ts'
import { partKey } from './receipt-readings.ts'
import { keyOfUnknownPart } from './unknown-parts.ts'
import { distinctIdsOf, idsOf, promisesReceipts, type StoredAttempt } from '../core/evidence-store.ts'
import { expectUnderIds, inKeyOrder } from './recycled-ids.ts'
import type { Raised } from './raise-attempt.ts'
import type { Settlement } from './settlement.ts'

interface After {
  attempts: ReadonlyMap<string, ReadonlyMap<number, StoredAttempt>>
  /** A message as its unit leaves it, and whether it moved. */
  stateOf: (messageId: string) => { state: MessageState; hasMoved: boolean }
  /** The attempt whose receipts the message waits for; null if it waits for none. */
  awaitedBy: (messageId: string) => number | null
}

/**
 * Records the receipts that accepted parts, and parts that may have been accepted, can still get. A final message does not
 * wait for them, but a late receipt can correct it. A message that an earlier attempt turns out to have sent waits for the
 * receipts of that one again.
 */
export async function expectReceipts(
  tx: Tx,
  unit: Change,
  raised: readonly Raised[],
  after: After,
): Promise<void> {
  const rows = raised.flatMap((each) => rowsOf(each, after))
  await updateRows(tx, 'receipts_expected', partKey, raised.flatMap(withAllParts))
  await expectUnderIds(tx, unit, rows)
  const isNew = new Set(rows.map((row) => `${row.device_id}/${row.network_id}`))
  const waiting = [...new Set(raised.map(({ after: { message_id } }) => message_id))]
  await reopen(
    tx,
    waiting.flatMap((id) => awaitedRows(id, after, isNew)),
  )
}

/** Parts that were known while the outcome was not: the answer says how many parts there are. */
function withAllParts({ before, after: now }: Raised) {
  if (before.state !== 'unknown' || now.state !== 'accepted') return []
  const ids = distinctIdsOf(now.network_ids)
  const known = distinctIdsOf(before.network_ids).filter((id) => ids.includes(id))
  return known.map((id) => ({ ...keyOf(now, id), wire_parts: ids.length }))
}

function rowsOf({ settlement, before, after: now }: Raised, { stateOf, awaitedBy }: After) {
  const { state, hasMoved } = stateOf(settlement.messageId)
  const places = now.state === 'unknown' && hasMoved ? placesOf(settlement, state.recipient) : []
  const isReported = settlement.receiptExpected || settlement.failuresReported === true
  const known = idsOf(before.network_ids)
  const told = isReported ? distinctIdsOf(now.network_ids).filter((id) => !known.includes(id)) : []
  const isAwaited = settlement.receiptExpected && awaitedBy(settlement.messageId) === now.number
  return [...told, ...places].map((networkId) => ({
    ...keyOf(now, networkId),
    wire_parts: wirePartsOf(settlement, places.length),
    sent_at: state.sent_at ?? settlement.atMs,
    closed_at: isAwaited ? null : settlement.atMs,
  }))
}

const keyOf = (attempt: StoredAttempt, networkId: string) => ({
  network_id: networkId,
  device_id: attempt.device_id,
  account_id: attempt.account_id,
  mode: attempt.mode,
  message_id: attempt.message_id,
  attempt_number: attempt.number,
})

/**
 * Returns how many receipts mean that every part arrived; 0 if a part was rejected, or has no ID that a
 * receipt could name.
 */
function wirePartsOf({ attemptState, networkIds, unknownParts }: Settlement, places: number): number {
  const ids = new Set(networkIds).size
  if (attemptState === 'accepted') return ids
  if (unknownParts === undefined || attemptState === 'refused') return 0
  const { wireParts } = unknownParts
  return networkIds.length + places >= wireParts ? wireParts - (networkIds.length - ids) : 0
}

const placesOf = ({ unknownParts }: Settlement, recipient: string): string[] =>
  unknownParts === undefined
    ? []
    : unknownParts.parts.map((part) => keyOfUnknownPart(recipient, unknownParts.attemptId, part))

/** The parts of the attempt that a message waits for, of which nothing was reported, and that are not new. */
function awaitedRows(messageId: string, { attempts, stateOf, awaitedBy }: After, isNew: ReadonlySet<string>) {
  const attempt = attempts.get(messageId)?.get(awaitedBy(messageId) ?? 0)
  if (attempt === undefined || !promisesReceipts(attempt)) return []
  const reported = new Set(
    (attempt.part_reports === null ? [] : readJson(attempt.part_reports)).flatMap(({ ids }) => ids),
  )
  const ids = distinctIdsOf(attempt.network_ids)
  return ids
    .filter((id) => !reported.has(id) && !isNew.has(`${attempt.device_id}/${id}`))
    .map((id) => ({
      ...keyOf(attempt, id),
      wire_parts: ids.length,
      sent_at: stateOf(messageId).state.sent_at as number,
      closed_at: null,
    }))
}

/** Waits again for receipts; also for those that were forgotten meanwhile, unless another message has their ID by now. */
async function reopen(tx: Tx, rows: readonly ReturnType<typeof awaitedRows>[number][]): Promise<void> {
  if ((await updateRows(tx, 'receipts_expected', partKey, rows)) < rows.length)
    await insertRows(tx, 'receipts_expected', inKeyOrder(rows), 'ignore')
}
