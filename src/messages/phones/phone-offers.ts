import { type Insertable, type Selectable, sql } from 'kysely'
import { hourMs } from '../../runtime/clock.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { everyColumn } from '../../storage/tables/every-column.ts'
import type { PhoneOfferTable } from '../../storage/tables/message-tables.ts'
import { selectEach, updateRows } from '../../storage/seam/sets.ts'
import type { MessageKey } from '../core/message-store.ts'
import { type PlacedAttempt, placedColumns } from '../core/open-attempt.ts'

export interface PhoneOffering {
  phoneId: string
  /** SIMs that can send it (slot from 1; null: any), with the parts each can send; of equals the first. */
  sims: readonly { sim: number | null; parts: number }[]
}

interface OfferedClaim extends MessageKey {
  attemptId: string
  attemptNumber: number
  deviceId: string
  sim?: number | null
}

export const offerRow = (
  claim: OfferedClaim,
  phoneId: string,
  nowMs: number,
): Insertable<PhoneOfferTable> => ({
  attempt_id: claim.attemptId,
  device_id: claim.deviceId,
  phone_id: phoneId,
  account_id: claim.accountId,
  mode: claim.mode,
  message_id: claim.messageId,
  attempt_number: claim.attemptNumber,
  sim: claim.sim ?? null,
  offered_at: nowMs,
  last_offered_at: nowMs,
})

/** After this time it is unknown what a phone has deleted. */
export const longestOfferMs = 12 * hourMs

/** Maximum open offers read of one phone; it holds a page, and what its rate limit allowed. */
export const maxOpen = 1_000

/** Counts the messages that a device holds without a final report, for all its registrations. */
export async function countHeld(db: Db, deviceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('phone_offers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('device_id', '=', deviceId)
    .where('closed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

export type OfferRow = Selectable<PhoneOfferTable>

export const offerColumns = everyColumn<PhoneOfferTable>({
  attempt_id: true, device_id: true, phone_id: true, account_id: true, mode: true, message_id: true,
  attempt_number: true, sim: true, parts: true, offered_at: true, last_offered_at: true,
  state: true, reported_at: true, recall: true, recalled_at: true, closed_at: true,
}) // prettier-ignore

const offerOf = {
  sql: `select ${offerColumns.join(', ')} from phone_offers where attempt_id = :attempt`,
  inputs: ['attempt'],
} as const

/** Reads the offers of these attempts, of any phone. */
export const findOffers = (db: Db | Tx, attemptIds: readonly string[]): Promise<OfferRow[]> =>
  selectEach<OfferRow>(
    db,
    offerOf,
    attemptIds.map((id) => [id]),
  )

const attemptOf = {
  sql: `select ${placedColumns.join(', ')} from attempts
        where account_id = :account and mode = :mode and message_id = :message and number = :number`,
  inputs: ['account', 'mode', 'message', 'number'],
} as const

/** Reads the attempts of offers, by their IDs. */
export async function readAttemptsOf(
  db: Db | Tx,
  offers: readonly OfferRow[],
): Promise<Map<string, PlacedAttempt>> {
  const rows = await selectEach<PlacedAttempt & Record<string, string | number | null>>(
    db,
    attemptOf,
    offers.map((offer) => [offer.account_id, offer.mode, offer.message_id, offer.attempt_number]),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Records the progress of a phone. `closedAt` is set when no further report is expected. */
export const markOffers = (
  tx: Tx,
  marks: readonly {
    attemptId: string
    state: OfferRow['state']
    reportedAt: number | null
    closedAt: number | null
  }[],
): Promise<number> =>
  updateRows(
    tx,
    'phone_offers',
    ['attempt_id'],
    marks.map(({ attemptId, state, reportedAt, closedAt }) => ({
      attempt_id: attemptId,
      state,
      reported_at: reportedAt,
      closed_at: closedAt,
    })),
  )

/** Selects offers as `o`, with their messages as `m`. */
export const offersOfMessages = (db: Db) =>
  db
    .selectFrom('phone_offers as o')
    .innerJoin('messages as m', (join) =>
      join
        .onRef('m.account_id', '=', 'o.account_id')
        .onRef('m.mode', '=', 'o.mode')
        .onRef('m.id', '=', 'o.message_id'),
    )

/** Returns the parts offered to a device since, by SIM, with the time of the first: its used rate limit. */
export const offeredSince = (
  db: Db,
  deviceId: string,
  sinceMs: number,
): Promise<{ sim: number | null; parts: number; firstAtMs: number }[]> =>
  offersOfMessages(db)
    .select(({ fn }) => [
      'o.sim',
      sql<number>`cast(sum(m.parts) as bigint)`.as('parts'),
      fn.min<number>('o.offered_at').as('firstAtMs'),
    ])
    .where('o.device_id', '=', deviceId)
    .where('o.offered_at', '>', sinceMs)
    .groupBy('o.sim')
    .execute()

/**
 * Records what a phone reports of a message that it (or its device) was offered and has sent: the SIM, and
 * the number of parts; null keeps the known value.
 */
export async function noteSent(
  tx: Tx,
  sent: { deviceId: string; phoneId: string; attemptId: string; sim: number | null; parts: number | null },
): Promise<void> {
  const { deviceId, phoneId, attemptId, sim, parts } = sent
  await tx
    .updateTable('phone_offers')
    .set({ ...(sim === null ? {} : { sim }), ...(parts === null ? {} : { parts }) })
    .where('attempt_id', '=', attemptId)
    .where(({ or, eb }) => or([eb('device_id', '=', deviceId), eb('phone_id', '=', phoneId)]))
    .execute()
}
