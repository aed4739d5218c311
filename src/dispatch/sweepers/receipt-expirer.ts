import { sql } from 'kysely'
import { dayMs } from '../../runtime/clock.ts'
import { closeReceipts, type LateReceipt } from '../../messages/outcomes/close-receipts.ts'
import type { WriteHorizon } from '../../messages/history/history-horizon.ts'
import { dropOldestParked, readOverfull } from '../../messages/outcomes/parked-receipts.ts'
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
  horizon: WriteHorizon
  receiptWindowMs: number
  correctionDays: number
  /** How long receipts that nobody waits for are kept, and how many of one device. */
  parkedMs: number
  maxParked: number
}

/** Ends the waiting for receipts that did not come within the window, and forgets those, and the offers of phones, that may no longer correct anything. */
export const createReceiptExpirer = (deps: ReceiptExpirerDeps): Sweeper =>
  new Sweeper(deps, {
    name: 'receipt-expirer',
    intervalMs,
    async sweep() {
      const late = await readLate(deps.read, deps.clock.now() - deps.receiptWindowMs)
      const nowMs = deps.clock.now()
      const ended = await deps.horizon.hold(nowMs, (timeIn) =>
        deps.writer.write(async (tx) => closeReceipts(tx, late, await timeIn(tx))),
      )
      for (const message of ended) deps.metrics.advanced(message.status)
      const isMore = await Promise.all([
        purgeOld(deps, closedReceipts, nowMs - deps.correctionDays * dayMs),
        purgeOld(deps, parkedReceipts, nowMs - deps.parkedMs),
        dropSurplus(deps),
        purgeOld(deps, closedOffers, nowMs - deps.receiptWindowMs - deps.correctionDays * dayMs),
        forgetRegistrations(deps, nowMs - deps.receiptWindowMs - deps.correctionDays * dayMs),
      ])
      return late.length === pageSize || isMore.includes(true)
    },
  })

const closedReceipts: OldRows<'receipts_expected'> = {
  table: 'receipts_expected',
  key: ['network_id', 'device_id'],
  age: 'closed_at',
}
/** A phone asks nothing of them; they lead its late words to their messages, and an offer is closed as soon as its message was sent. */
const closedOffers: OldRows<'phone_offers'> = { table: 'phone_offers', key: ['attempt_id'], age: 'closed_at' }
const parkedReceipts: OldRows<'parked_receipts'> = {
  table: 'parked_receipts',
  key: ['network_id', 'device_id', 'reading'],
  age: 'received_at',
}

/**
 * Registrations of phones that others took the place of, when their last offers are forgotten: an app that is installed anew each day, or a token
 * that got about, would else leave rows for ever.
 */
async function forgetRegistrations(
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

/** A receipt stands under up to three readings. */
const droppedAtOnce = Math.floor(purgedAtOnce / 3)

/** Keeps to the bound of each device: a page of the oldest of the one that is over it goes, the next with the next sweep. Says whether there may be more. */
async function dropSurplus({ read, writer, log, maxParked }: ReceiptExpirerDeps): Promise<boolean> {
  const [overfull] = await readOverfull(read, maxParked)
  if (overfull === undefined) return false
  const dropped = await writer.write((tx) => dropOldestParked(tx, overfull, droppedAtOnce))
  log.warn(
    { device_id: overfull.deviceId, receipts: dropped },
    'a device brings more receipts than messages of ours wait for; the oldest of those that are kept were dropped',
  )
  return true
}

/** Wallet by wallet through the index, oldest first. */
async function readLate(db: Db, sentBeforeMs: number): Promise<LateReceipt[]> {
  const { rows } = await sql<LateReceipt>`
    select r.network_id as "networkId", r.device_id as "deviceId", r.account_id as "accountId", r.mode, r.message_id as "messageId"
    from wallets w cross join receipts_expected r
    where r.account_id = w.account_id and r.mode = w.mode and r.sent_at <= ${sentBeforeMs} and r.closed_at is null
    limit ${pageSize}`.execute(db)
  return rows
}
