import { sql } from 'kysely'
import { dayMs } from '../../runtime/clock.ts'
import { closeReceipts, type LatePart } from '../../messages/outcomes/close-receipts.ts'
import { takeChange } from '../../messages/core/change-number.ts'
import { dropOldestUnmatched, readOverfull } from '../../messages/outcomes/unmatched-receipts.ts'
import type { Metrics } from '../../process/metrics.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { deleteRows } from '../../storage/seam/sets.ts'
import { purgeOld, purgedAtOnce, type OldRows } from './purge-old.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

const intervalMs = 60_000
const pageSize = 500

export interface ReceiptExpirerDeps extends SweeperDeps {
  read: Db
  writer: Writer
  metrics: Metrics
  receiptWindowMs: number
  correctionDays: number
  /** How long unmatched receipts are kept, and how many per device. */
  unmatchedMs: number
  maxUnmatched: number
}

/**
 * Stops waiting for receipts that did not arrive within the window, and purges those, and offers of phones,
 * that may no longer correct anything.
 */
export const createReceiptExpirer = (deps: ReceiptExpirerDeps): Sweeper =>
  new Sweeper(deps, {
    name: 'receipt-expirer',
    intervalMs,
    async sweep() {
      const late = await readLate(deps.read, deps.clock.now() - deps.receiptWindowMs)
      const nowMs = deps.clock.now()
      const ended =
        late.length === 0
          ? []
          : await deps.writer.write(async (tx) => closeReceipts(tx, await takeChange(tx, nowMs), late))
      for (const message of ended) deps.metrics.advanced(message.status)
      const isMore = await Promise.all([
        purgeOld(deps, closedReceipts, nowMs - deps.correctionDays * dayMs),
        purgeOld(deps, unmatchedReceipts, nowMs - deps.unmatchedMs),
        dropSurplus(deps),
        purgeOld(deps, closedOffers, nowMs - deps.receiptWindowMs - deps.correctionDays * dayMs),
        purgeRegistrations(deps, nowMs - deps.receiptWindowMs - deps.correctionDays * dayMs),
      ])
      return late.length === pageSize || isMore.includes(true)
    },
  })

const closedReceipts: OldRows<'receipts_expected'> = {
  table: 'receipts_expected',
  key: ['network_id', 'device_id'],
  age: 'closed_at',
}
/**
 * No phone asks for them; they match its late reports to their messages, and an offer is closed as soon as
 * its message was sent.
 */
const closedOffers: OldRows<'phone_offers'> = { table: 'phone_offers', key: ['attempt_id'], age: 'closed_at' }
const unmatchedReceipts: OldRows<'parked_receipts'> = {
  table: 'parked_receipts',
  key: ['network_id', 'device_id', 'reading'],
  age: 'received_at',
}

/**
 * Purges registrations of phones that were superseded, once their last offers are purged: an app that is
 * reinstalled every day, or a leaked token, would otherwise leave rows indefinitely.
 */
async function purgeRegistrations(
  { read, writer }: Pick<ReceiptExpirerDeps, 'read' | 'writer'>,
  upToMs: number,
): Promise<boolean> {
  const rows = await read
    .selectFrom('phones')
    .select('id')
    .where('superseded_at', '<=', upToMs)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('phone_offers').select('phone_id').whereRef('phone_id', '=', 'phones.id'))),
    )
    .orderBy('superseded_at')
    .limit(purgedAtOnce)
    .execute()
  if (rows.length > 0) await writer.write((tx) => deleteRows(tx, 'phones', ['id'], rows))
  return rows.length === purgedAtOnce
}

/** A receipt is stored under up to three readings. */
const droppedAtOnce = Math.floor(purgedAtOnce / 3)

/**
 * Enforces the limit per device: removes a page of the oldest of one device that exceeds it; the next sweep
 * continues. Returns whether there may be more.
 */
async function dropSurplus({ read, writer, log, maxUnmatched }: ReceiptExpirerDeps): Promise<boolean> {
  const [overfull] = await readOverfull(read, maxUnmatched)
  if (overfull === undefined) return false
  const dropped = await writer.write((tx) => dropOldestUnmatched(tx, overfull, droppedAtOnce))
  log.warn(
    { device_id: overfull.deviceId, receipts: dropped },
    'a device delivers more unmatched receipts than are kept; the oldest were dropped',
  )
  return true
}

/** Wallet by wallet through the index, oldest first. */
async function readLate(db: Db, sentBeforeMs: number): Promise<LatePart[]> {
  const { rows } = await sql<LatePart>`
    select r.network_id as "networkId", r.device_id as "deviceId", r.account_id as "accountId", r.mode, r.message_id as "messageId",
      r.attempt_number as "attemptNumber", r.wire_parts as "wireParts"
    from wallets w cross join receipts_expected r
    where r.account_id = w.account_id and r.mode = w.mode and r.sent_at <= ${sentBeforeMs} and r.closed_at is null
    limit ${pageSize}`.execute(db)
  return rows
}
