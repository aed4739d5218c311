import { type Insertable, type Selectable, sql } from 'kysely'
import { hourMs } from '../../runtime/clock.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { everyColumn } from '../../storage/tables/every-column.ts'
import type { PhoneOfferTable } from '../../storage/tables/message-tables.ts'
import { selectEach, updateRows } from '../../storage/seam/sets.ts'
import { type MessageKey, priorityOf } from '../core/message-store.ts'

/** Whose phone a claim is for. */
export interface PhoneOffering {
  phoneId: string
  /**
   * SIMs that may send it, by their slots from 1 (null: whichever the phone takes), and how many parts each may have now. The first goes
   * before its equals.
   */
  sims: readonly { sim: number | null; parts: number }[]
}

interface OfferedClaim extends MessageKey {
  attemptId: string
  attemptNumber: number
  deviceId: string
  place: { due_at: number }
  sim?: number | null
}

/** An offer of a claim. */
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
  due_at: claim.place.due_at,
  sim: claim.sim ?? null,
  offered_at: nowMs,
  last_offered_at: nowMs,
})

/** A message as a phone is given it. */
export interface OfferedMessage {
  attemptId: string
  to: string
  text: string
  sim: number | null
  /** The smaller goes first, as in the queue. */
  priority: number
  createdAt: number
  /** By our clock. */
  validUntil: number
  state: 'pending' | 'cancelling'
  /** It was told before. */
  isAgain: boolean
}

/** Beyond this nobody knows what a phone has forgotten. */
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

/** What the phone has not said to have comes first, so that however much it holds hides nothing. */
const openOffers = {
  sql: `select o.attempt_id, m.recipient, m.text, m.category, o.sim, m.created_at, m.expires_at, o.state, o.recall, o.offered_at,
               o.last_offered_at, o.reported_at, o.recalled_at, m.finalized_at
        from phone_offers o cross join messages m on m.account_id = o.account_id and m.mode = o.mode and m.id = o.message_id
        where o.device_id = :device and o.closed_at is null and o.offered_at > :after and o.phone_id = :phone
        order by o.state is not null, o.offered_at, o.attempt_id limit :most`,
  inputs: ['device', 'after', 'phone', 'most'],
} as const

/** More open offers than this of one phone are not looked at; a phone holds a page and what its pace let go. */
export const maxOpen = 1_000

export interface OfferTerms {
  deviceId: string
  phoneId: string
  /** When the phone asked: what it was given since is told for the first time. */
  askedAtMs: number
  nowMs: number
  /** How many messages an answer has at most. */
  most: number
  /** A phone that has said that it has a message, and nothing for so long, is asked again where it stands: it reports, and does not send again. */
  hangsAfterMs: number
}

const unacknowledged = {
  sql: `select count(*) as count
        from phone_offers o cross join messages m on m.account_id = o.account_id and m.mode = o.mode and m.id = o.message_id
        where o.device_id = :device and o.closed_at is null and o.offered_at > :after and o.phone_id = :phone
          and o.state is null and o.recall is null and m.expires_at > :now and m.text is not null and m.finalized_at is null`,
  inputs: ['device', 'after', 'phone', 'now'],
} as const

/** How many offers of a phone it has not said to have yet, and will be told again: what is never told again takes none of its room. */
export async function countUnacknowledged(
  db: Db,
  { deviceId, phoneId, nowMs }: Pick<OfferTerms, 'deviceId' | 'phoneId' | 'nowMs'>,
): Promise<number> {
  const [row] = await selectEach<{ count: number }>(db, unacknowledged, [
    [deviceId, nowMs - longestOfferMs, phoneId, nowMs],
  ])
  return row?.count ?? 0
}

/** How many messages a device holds of which it has not said the last word, whichever of its registrations was given them. */
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
 * What a phone is to be told when it asks: everything that it has not said to have, what is recalled, and what hangs. Only what this
 * registration was offered: what an app that was installed anew has forgotten, it would send again. Never after its validity (P8).
 */
export async function readOffers(db: Db, terms: OfferTerms): Promise<OfferedMessage[]> {
  const { deviceId, phoneId, askedAtMs, nowMs, most, hangsAfterMs } = terms
  const rows = await selectEach<OpenOffer>(db, openOffers, [
    [deviceId, nowMs - longestOfferMs, phoneId, maxOpen],
  ])
  const isQuietSince = (sinceMs: number, row: OpenOffer): boolean =>
    Math.max(sinceMs, row.last_offered_at) <= nowMs - hangsAfterMs
  const due = rows.filter((row) => {
    // A recall may never be answered: it is told at once, and then now and again.
    if (row.recall !== null) return isRecallNews(row) || isQuietSince(row.recalled_at ?? 0, row)
    if (row.text === null || row.finalized_at !== null) return false
    return row.state === null ? row.expires_at > nowMs : isQuietSince(row.reported_at ?? 0, row)
  })
  // What is new comes before what is only asked for again.
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
  }))
}

const isKnown = ({ state, recall }: OpenOffer): boolean => state !== null || recall !== null
const isRecallNews = ({ recalled_at, last_offered_at }: OpenOffer): boolean =>
  (recalled_at ?? 0) >= last_offered_at

/** Marks offers as told again: they are not taken for hanging before their time. A wish to let go of one that came after it was read is news still. */
export async function touchOffers(tx: Tx, told: readonly OfferedMessage[], nowMs: number): Promise<void> {
  for (const state of ['pending', 'cancelling'] as const) {
    const attemptIds = told.filter((offer) => offer.state === state).map(({ attemptId }) => attemptId)
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

/** The offers of these attempts, of any phone. */
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
  /** Where its message stood in the queue. */
  due_at: number
}

const attemptOf = {
  sql: `select account_id, mode, message_id, number, id, device_id, state from attempts
        where account_id = :account and mode = :mode and message_id = :message and number = :number`,
  inputs: ['account', 'mode', 'message', 'number'],
} as const

/** The attempts behind offers, by their ids. */
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

/** Writes down how far a phone is. `closedAt` is set when nothing more is asked of it. */
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

/** Parts that a device was offered since, by SIM, and when the first of them was: what of its pace is used. */
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

/** What a phone tells of a message that it, or its device, was given and that it sent: the SIM, and how many parts it made; null leaves what was known. */
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
