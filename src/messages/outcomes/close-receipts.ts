import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach, updateRows } from '../../storage/seam/sets.ts'
import { advanceMessages } from '../core/advance-messages.ts'
import { type MessageKey, type MessageState, readStates } from '../core/message-store.ts'

/** A receipt that did not arrive in time. */
export interface LateReceipt extends MessageKey {
  networkId: string
  deviceId: string
}

/**
 * Stops waiting for receipts: the messages become `unconfirmed`, and their charge stays. The rows stay until
 * the time for corrections has passed, so that a late receipt still finds its message.
 */
export async function closeReceipts(
  tx: Tx,
  late: readonly LateReceipt[],
  nowMs: number,
): Promise<MessageState[]> {
  const keys = [...new Map(late.map((receipt) => [receipt.messageId, receipt])).values()]
  const messages = (await readStates(tx, keys)).filter((message) => message.status === 'sent')
  const [states] = await allDone([
    advanceMessages(
      tx,
      messages.map((message) => ({
        message,
        trigger: 'receipt_lost',
        atMs: nowMs,
        error: { code: 'receipt_missing', networkCode: null },
      })),
    ),
    updateRows(
      tx,
      'receipts_expected',
      // Found before this transaction: the ID may have moved to another message since.
      ['network_id', 'device_id', 'account_id', 'mode', 'message_id'],
      late.map((receipt) => ({
        network_id: receipt.networkId,
        device_id: receipt.deviceId,
        account_id: receipt.accountId,
        mode: receipt.mode,
        message_id: receipt.messageId,
        closed_at: nowMs,
      })),
    ),
  ])
  return states.filter((state) => state !== null)
}

const openOf = {
  sql: `select network_id, device_id, message_id from receipts_expected
        where account_id = :account and mode = :mode and sent_at = :sent and message_id = :message and closed_at is null`,
  inputs: ['account', 'mode', 'sent', 'message'],
} as const

/**
 * Closes the other receipts that these final messages still wait for, of another attempt or part. One that
 * arrives later can correct the message.
 */
export async function closeWaits(tx: Tx, ended: readonly MessageState[]): Promise<void> {
  if (ended.length === 0) return
  const rows = await selectEach<{ network_id: string; device_id: string; message_id: string }>(
    tx,
    openOf,
    ended.map(({ account_id, mode, sent_at, id }) => [account_id, mode, sent_at, id]),
  )
  const endOf = new Map(ended.map(({ id, updated_at }) => [id, updated_at]))
  const closed = rows.map(({ message_id, ...key }) => ({
    ...key,
    closed_at: endOf.get(message_id) as number,
  }))
  await updateRows(tx, 'receipts_expected', ['network_id', 'device_id'], closed)
}
