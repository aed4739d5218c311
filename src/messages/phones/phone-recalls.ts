import { type RawBuilder, sql } from 'kysely'
import { hourMs } from '../../runtime/clock.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { maxOpen, offerColumns, type OfferRow } from './phone-offers.ts'

/** Until so long after the end of a validity a phone's word is waited for: it tries to report for 2 h 50 min. */
export const phoneReportsForMs = 3 * hourMs

/** Offers whose message's validity ended by then without the phone's last word. */
export const readSilentOffers = (db: Db, expiredBy: number, most: number): Promise<OfferRow[]> =>
  db
    .selectFrom('phone_offers as o')
    .innerJoin('messages as m', (join) =>
      join
        .onRef('m.account_id', '=', 'o.account_id')
        .onRef('m.mode', '=', 'o.mode')
        .onRef('m.id', '=', 'o.message_id'),
    )
    .select(offerColumns.map((column) => `o.${column}` as const))
    .where('o.closed_at', 'is', null)
    .where('m.expires_at', '<=', expiredBy)
    .limit(most)
    .execute()

/** Nothing more is asked of the phone. */
export async function closeOffers(tx: Tx, attemptIds: readonly string[], nowMs: number): Promise<void> {
  if (attemptIds.length === 0) return
  await tx
    .updateTable('phone_offers')
    .set({ closed_at: nowMs })
    .where('attempt_id', 'in', attemptIds)
    .where('closed_at', 'is', null)
    .execute()
}

/** A device that is not to send any more is asked to let go of what it has not sent, so that another may have it. */
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

/** Of an account that is closed phones are asked to let go of what they have not sent: back in the queue it is canceled. */
export async function recallOfClosed(tx: Tx, accountId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable('phone_offers')
    .set({ recall: 'move', recalled_at: notBeforeTold(nowMs) })
    .where('account_id', '=', accountId)
    .where('closed_at', 'is', null)
    .where('recall', 'is', null)
    .execute()
}

/** A fetch that began before the wish may have been told later: the wish is news to the phone all the same. */
const notBeforeTold = (nowMs: number): RawBuilder<number> =>
  sql<number>`case when last_offered_at > ${nowMs} then last_offered_at else ${nowMs} end`

/** Asks the phone to let go of what it has not sent: to cancel it, or so that it may go elsewhere, which no wish to cancel gives way to (P8). */
export async function recall(
  tx: Tx,
  attemptIds: readonly string[],
  why: 'cancel' | 'move',
  nowMs: number,
): Promise<void> {
  if (attemptIds.length === 0) return
  const open = tx
    .updateTable('phone_offers')
    .set({ recall: why, recalled_at: notBeforeTold(nowMs) })
    .where('attempt_id', 'in', attemptIds)
    .where('closed_at', 'is', null)
  await (why === 'move' ? open.where('recall', 'is', null) : open).execute()
}

/** What a phone was asked to let go of, and when. */
export interface Recalled {
  attemptId: string
  deviceId: string
  recalledAt: number
}

/** What phones are asked to let go of and have not ended, in the order of the wishes, behind the one named. */
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
