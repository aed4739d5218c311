import type { Insertable } from 'kysely'
import type { Tx } from '../storage/dialect.ts'
import type { ReceiptExpectedTable } from '../storage/message-tables.ts'
import type { Mode } from '../storage/schema.ts'
import { deleteRows, insertRows, selectEach } from '../storage/sets.ts'
import { closeReceipts } from './close-receipts.ts'

interface Holder {
  network_id: string
  device_id: string
  account_id: string
  mode: Mode
  message_id: string
  closed_at: number | null
}

const holderOf = {
  sql: `select network_id, device_id, account_id, mode, message_id, closed_at from receipts_expected
        where network_id = :network and device_id = :device and message_id <> :message`,
  inputs: ['network', 'device', 'message'],
} as const

/**
 * Waits for receipts under network ids. Carriers use ids again: then the newest message has the id, and the older one's wait is over
 * without a receipt, because what comes now is not about it.
 */
export async function expectUnderIds(
  tx: Tx,
  rows: readonly Insertable<ReceiptExpectedTable>[],
  nowMs: number,
): Promise<void> {
  const inserted = await insertRows(tx, 'receipts_expected', rows, 'ignore')
  if (inserted === rows.length) return
  const holders = await selectEach<Holder>(
    tx,
    holderOf,
    rows.map((row) => [row.network_id, row.device_id, row.message_id]),
  )
  const waiting = holders.filter((holder) => holder.closed_at === null)
  await closeReceipts(
    tx,
    waiting.map((holder) => ({
      networkId: holder.network_id,
      deviceId: holder.device_id,
      accountId: holder.account_id,
      mode: holder.mode,
      messageId: holder.message_id,
    })),
    nowMs,
  )
  await deleteRows(tx, 'receipts_expected', ['network_id', 'device_id'], holders)
  await insertRows(tx, 'receipts_expected', rows, 'ignore')
}
