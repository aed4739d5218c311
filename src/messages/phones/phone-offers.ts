import { type Insertable, type Selectable, sql } from 'kysely'
import { hourMs } from '../../runtime/clock.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { everyColumn } from '../../storage/tables/every-column.ts'
import type { PhoneOfferTable } from '../../storage/tables/message-tables.ts'
import { selectEach, updateRows } from '../../storage/seam/sets.ts'
import type { MessageKey } from '../core/message-store.ts'
import { priorityOf } from '../core/route-key.ts'

export interface PhoneOffering {
  phoneId: string
  /** SIMs that can send it (slot from 1; null: any), with the parts each can send; of equals the first. */
  sims: readonly { sim: number | null; parts: number }[]
}

interface OfferedClaim extends MessageKey {
  attemptId: string
  attemptNumber: number
  deviceId: string
  position: { due_at: number }
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
  due_at: claim.position.due_at,
  sim: claim.sim ?? null,
  offered_at: nowMs,
  last_offered_at: nowMs,
})

/** A message as offered to a phone. */
export interface OfferedMessage {
  attemptId: string
  to: string
  text: string
  sim: number | null
  /** Lower numbers are sent first, as in the queue. */
  priority: number
  createdAt: number
  /** By the server's clock. */
  validUntil: number
  state: 'pending' | 'cancelling'
  /** It was offered before. */
  isAgain: boolean
  /** The phone has reported a state of it. */
  wasAcknowledged: boolean
}

/** After this time it is unknown what a phone has deleted. */
export const longestOfferMs = 12 * hourMs

interface OpenOffer {
  attempt_id: string
  recipient: string
  text: string | null
  category: 'transactional' | 'authentication' | 'marketing'
  sim: number | null
  created_at: number
  expires_at: number
  state: PhoneOfferTable['state']
  recall: PhoneOfferTable['recall']
  offered_at: number
  last_offered_at: number
  reported_at: number | null
  recalled_at: number | null
  finalized_at: number | null
}

/** Unacknowledged offers come first, so that they are found however many others the phone holds. */
const openOffers = {
  sql: `select o.attempt_id, m.recipient, m.text, m.category, o.sim, m.created_at, m.expires_at, o.state, o.recall, o.offered_at,
               o.last_offered_at, o.reported_at, o.recalled_at, m.finalized_at
        from phone_offers o cross join messages m on m.account_id = o.account_id and m.mode = o.mode and m.id = o.message_id
        where o.device_id = :device and o.closed_at is null and o.offered_at > :after and o.phone_id = :phone
        order by o.state is not null, o.offered_at, o.attempt_id limit :most`,
  inputs: ['device', 'after', 'phone', 'most'],
} as const

/** Maximum open offers read of one phone; it holds a page, and what its rate limit allowed. */
export const maxOpen = 1_000

export interface OfferTerms {
  deviceId: string
  phoneId: string
  /** When the phone asked: offers made since then are new to it. */
  askedAtMs: number
  nowMs: number
  /** Maximum messages in a response. */
  most: number
  /**
   * Acknowledged offers without a report for this long are repeated: the phone reports, and sends nothing.
   */
  hangsAfterMs: number
}

const unacknowledged = {
  sql: `select count(*) as count
        from phone_offers o cross join messages m on m.account_id = o.account_id and m.mode = o.mode and m.id = o.message_id
        where o.device_id = :device and o.closed_at is null and o.offered_at > :after and o.phone_id = :phone
          and o.state is null and o.recall is null and m.expires_at > :now and m.text is not null and m.finalized_at is null`,
  inputs: ['device', 'after', 'phone', 'now'],
} as const

/** Counts the unacknowledged offers that a phone will get again; others take no room. */
export async function countUnacknowledged(
  db: Db,
  { deviceId, phoneId, nowMs }: Pick<OfferTerms, 'deviceId' | 'phoneId' | 'nowMs'>,
): Promise<number> {
  const [row] = await selectEach<{ count: number }>(db, unacknowledged, [
    [deviceId, nowMs - longestOfferMs, phoneId, nowMs],
  ])
  return row?.count ?? 0
}

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

/**
 * Returns what a phone gets when it asks: unacknowledged offers, recalls, and offers due for a report. Only
 * of this registration: a reinstalled app has lost its messages, and would send them again. Never after
 * validity (P8).
 */
export async function readOffers(db: Db, terms: OfferTerms): Promise<OfferedMessage[]> {
  const { deviceId, phoneId, askedAtMs, nowMs, most, hangsAfterMs } = terms
  const rows = await selectEach<OpenOffer>(db, openOffers, [
    [deviceId, nowMs - longestOfferMs, phoneId, maxOpen],
  ])
  const isQuietSince = (sinceMs: number, row: OpenOffer): boolean =>
    Math.max(sinceMs, row.last_offered_at) <= nowMs - hangsAfterMs
  const due = rows.filter((row) => {
    // A recall may never be confirmed: it is sent immediately, and then repeated from time to time.
    if (row.recall !== null) return isRecallDue(row) || isQuietSince(row.recalled_at ?? 0, row)
    if (row.text === null || row.finalized_at !== null) return false
    return row.state === null ? row.expires_at > nowMs : isQuietSince(row.reported_at ?? 0, row)
  })
  // New offers come before repeated ones.
  const inOrder = due.toSorted((a, b) => Number(isKnown(a)) - Number(isKnown(b)))
  return inOrder.slice(0, most).map((row) => ({
    attemptId: row.attempt_id,
    to: row.recipient,
    text: row.text ?? '',
    sim: row.sim,
    priority: priorityOf(row.category),
    createdAt: row.created_at,
    validUntil: row.expires_at,
    state: row.recall === null ? 'pending' : 'cancelling',
    isAgain: row.last_offered_at < askedAtMs,
    wasAcknowledged: row.state !== null,
  }))
}

const isKnown = ({ state, recall }: OpenOffer): boolean => state !== null || recall !== null
const isRecallDue = ({ recalled_at, last_offered_at }: OpenOffer): boolean =>
  (recalled_at ?? 0) >= last_offered_at

/** Marks offers as repeated now. A recall that arrived after its offer was read stays due. */
export async function touchOffers(tx: Tx, offered: readonly OfferedMessage[], nowMs: number): Promise<void> {
  for (const state of ['pending', 'cancelling'] as const) {
    const attemptIds = offered.filter((offer) => offer.state === state).map(({ attemptId }) => attemptId)
    if (attemptIds.length === 0) continue
    const touched = tx
      .updateTable('phone_offers')
      .set({ last_offered_at: nowMs })
      .where('attempt_id', 'in', attemptIds)
    await (state === 'pending' ? touched.where('recall', 'is', null) : touched).execute()
  }
}

export type OfferRow = Selectable<PhoneOfferTable>

export const offerColumns = everyColumn<PhoneOfferTable>({
  attempt_id: true, device_id: true, phone_id: true, account_id: true, mode: true, message_id: true,
  attempt_number: true, due_at: true, sim: true, parts: true, offered_at: true, last_offered_at: true,
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

export interface AttemptOfOffer {
  account_id: string
  mode: OfferRow['mode']
  message_id: string
  number: number
  id: string
  device_id: string
  state: 'handing_over' | 'accepted' | 'refused' | 'unknown'
  /** The due time of its message in the queue. */
  due_at: number
}

const attemptOf = {
  sql: `select account_id, mode, message_id, number, id, device_id, state from attempts
        where account_id = :account and mode = :mode and message_id = :message and number = :number`,
  inputs: ['account', 'mode', 'message', 'number'],
} as const

/** Reads the attempts of offers, by their IDs. */
export async function readAttemptsOf(
  db: Db | Tx,
  offers: readonly OfferRow[],
): Promise<Map<string, AttemptOfOffer>> {
  const rows = await selectEach<Omit<AttemptOfOffer, 'due_at'>>(
    db,
    attemptOf,
    offers.map((offer) => [offer.account_id, offer.mode, offer.message_id, offer.attempt_number]),
  )
  const dueAt = new Map(offers.map((offer) => [offer.attempt_id, offer.due_at]))
  return new Map(rows.map((row) => [row.id, { ...row, due_at: dueAt.get(row.id) as number }]))
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

/** Returns the parts offered to a device since, by SIM, with the time of the first: its used rate limit. */
export const offeredSince = (
  db: Db,
  deviceId: string,
  sinceMs: number,
): Promise<{ sim: number | null; parts: number; firstAtMs: number }[]> =>
  db
    .selectFrom('phone_offers as o')
    .innerJoin('messages as m', (join) =>
      join
        .onRef('m.account_id', '=', 'o.account_id')
        .onRef('m.mode', '=', 'o.mode')
        .onRef('m.id', '=', 'o.message_id'),
    )
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
