import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { PhoneOfferTable } from '../../storage/tables/message-tables.ts'
import { priorityOf } from '../core/route-key.ts'
import { longestOfferMs, maxOpen } from './phone-offers.ts'

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
  const isQuietSince = (sinceMs: number | null, row: OpenOffer): boolean =>
    Math.max(sinceMs ?? 0, row.last_offered_at) <= nowMs - hangsAfterMs
  const due = rows.filter((row) => {
    // A recall may never be confirmed: it is sent immediately, and then repeated from time to time.
    if (row.recall !== null) return isRecallDue(row) || isQuietSince(row.recalled_at, row)
    if (row.text === null || row.finalized_at !== null) return false
    return row.state === null ? row.expires_at > nowMs : isQuietSince(row.reported_at, row)
  })
  // New offers come before repeated ones.
  due.sort((a, b) => Number(isKnown(a)) - Number(isKnown(b)))
  return due.slice(0, most).map((row) => ({
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
