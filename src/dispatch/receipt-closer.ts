import { sql } from 'kysely'
import { dayMs } from '../clock.ts'
import { closeReceipts, type LateReceipt } from '../messages/close-receipts.ts'
import type { WriteHorizon } from '../messages/history-horizon.ts'
import type { Metrics } from '../metrics.ts'
import type { Db } from '../storage/dialect.ts'
import type { Writer } from '../storage/writer.ts'
import { forgetOld, type OldRows } from './forget-old.ts'
import { Janitor, type JanitorDeps } from './janitor.ts'

const intervalMs = 60_000
const pageSize = 500
/** A parked receipt finds its message within seconds or never. */
const parkedKeepMs = 10 * 60_000

export interface ReceiptCloserDeps extends JanitorDeps {
  read: Db
  writer: Writer
  metrics: Metrics
  horizon: WriteHorizon
  receiptWindowMs: number
  correctionDays: number
}

/** Ends the waiting for receipts that did not come within the window, and forgets those, and the offers of phones, that may no longer correct anything. */
export const createReceiptCloser = (deps: ReceiptCloserDeps): Janitor =>
  new Janitor(deps, {
    name: 'receipt-closer',
    intervalMs,
    async sweep() {
      const late = await readLate(deps.read, deps.clock.now() - deps.receiptWindowMs)
      const nowMs = deps.clock.now()
      const ended = await deps.horizon.hold(nowMs, () =>
        deps.writer.write((tx) => closeReceipts(tx, late, nowMs)),
      )
      for (const message of ended) deps.metrics.advanced(message.status)
      const isMore = await Promise.all([
        forgetOld(deps, closedReceipts, nowMs - deps.correctionDays * dayMs),
        forgetOld(deps, parkedReceipts, nowMs - parkedKeepMs),
        forgetOld(deps, closedOffers, nowMs - deps.receiptWindowMs - deps.correctionDays * dayMs),
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

/** Wallet by wallet through the index, oldest first. */
async function readLate(db: Db, sentBeforeMs: number): Promise<LateReceipt[]> {
  const { rows } = await sql<LateReceipt>`
    select r.network_id as "networkId", r.device_id as "deviceId", r.account_id as "accountId", r.mode, r.message_id as "messageId"
    from wallets w cross join receipts_expected r
    where r.account_id = w.account_id and r.mode = w.mode and r.sent_at <= ${sentBeforeMs} and r.closed_at is null
    limit ${pageSize}`.execute(db)
  return rows
}
