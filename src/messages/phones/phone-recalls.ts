import { type RawBuilder, sql } from 'kysely'
import { hourMs } from '../../runtime/clock.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { maxOpen, offerColumns, offersOfMessages, type OfferRow } from './phone-offers.ts'

/**
 * How long after the end of its validity a phone's report is waited for: the app retries reports for 2 h 50
 * min.
 */
export const phoneReportsForMs = 3 * hourMs

/** Reads offers of messages whose validity ended by then, without a final report of the phone. */
export const readSilentOffers = (db: Db, expiredBy: number, most: number): Promise<OfferRow[]> =>
  offersOfMessages(db)
    .select(offerColumns.map((column) => `o.${column}` as const))
    .where('o.closed_at', 'is', null)
    .where('m.expires_at', '<=', expiredBy)
    .limit(most)
    .execute()

/** Closes offers: no further report is expected. */
export async function closeOffers(tx: Tx, attemptIds: readonly string[], nowMs: number): Promise<void> {
  if (attemptIds.length === 0) return
  await tx
    .updateTable('phone_offers')
    .set({ closed_at: nowMs })
    .where('attempt_id', 'in', attemptIds)
    .where('closed_at', 'is', null)
    .execute()
}

/** Recalls the unsent messages of disabled and retired devices, so that other devices can send them. */
export async function recallOffers(read: Db, writer: Writer, nowMs: number): Promise<void> {
  const rows = await read
    .selectFrom('devices as d')
    .innerJoin('phone_offers as o', 'o.device_id', 'd.id')
    .select('o.attempt_id')
    .where('d.state', 'in', ['disabled', 'retired'])
    .where('o.closed_at', 'is', null)
    .where('o.recall', 'is', null)
    .limit(maxOpen)
    .execute()
  if (rows.length === 0) return
  await writer.write((tx) =>
    recall(
      tx,
      rows.map((row) => row.attempt_id),
      'move',
      nowMs,
    ),
  )
}

/** Recalls the unsent messages of a closed account from phones: once requeued, they are canceled. */
export async function recallOfClosed(tx: Tx, accountId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable('phone_offers')
    .set({ recall: 'move', recalled_at: notBeforeOffer(nowMs) })
    .where('account_id', '=', accountId)
    .where('closed_at', 'is', null)
    .where('recall', 'is', null)
    .execute()
}

/**
 * A fetch that began before the recall may have been recorded later: the recall is still new to the phone.
 */
const notBeforeOffer = (nowMs: number): RawBuilder<number> =>
  sql<number>`case when last_offered_at > ${nowMs} then last_offered_at else ${nowMs} end`

/**
 * Asks the phone for its unsent messages: to cancel them, or to requeue them for another device. A cancel is
 * never replaced by a requeue (P8).
 */
export async function recall(
  tx: Tx,
  attemptIds: readonly string[],
  why: 'cancel' | 'move',
  nowMs: number,
): Promise<void> {
  if (attemptIds.length === 0) return
  const open = tx
    .updateTable('phone_offers')
    .set({ recall: why, recalled_at: notBeforeOffer(nowMs) })
    .where('attempt_id', 'in', attemptIds)
    .where('closed_at', 'is', null)
  await (why === 'move' ? open.where('recall', 'is', null) : open).execute()
}

/** A recalled offer. */
export interface Recalled {
  attemptId: string
  deviceId: string
  recalledAt: number
}

/** Reads open recalls in the order of their time, after the given one. */
export async function readRecalled(
  db: Db,
  after: Pick<Recalled, 'recalledAt' | 'attemptId'>,
  most: number,
): Promise<Recalled[]> {
  const rows = await db
    .selectFrom('phone_offers')
    .select(['attempt_id', 'device_id', 'recalled_at'])
    .where('recall', 'is not', null)
    .where('closed_at', 'is', null)
    .where('recalled_at', '>=', after.recalledAt)
    .where((where) =>
      where.or([where('recalled_at', '>', after.recalledAt), where('attempt_id', '>', after.attemptId)]),
    )
    .orderBy('recalled_at')
    .orderBy('attempt_id')
    .limit(most)
    .execute()
  return rows.map(({ attempt_id: attemptId, device_id: deviceId, recalled_at: recalledAt }) => ({
    attemptId,
    deviceId,
    recalledAt: recalledAt ?? 0,
  }))
}
