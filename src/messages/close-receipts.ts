import { allDone } from '../all-done.ts'
import type { Tx } from '../storage/dialect.ts'
import { updateRows } from '../storage/sets.ts'
import { advanceMessages } from './advance-messages.ts'
import { type MessageKey, type MessageState, readStates } from './message-store.ts'

/** A receipt that did not come in its time, with the instant at which its message was sent. */
export interface LateReceipt extends MessageKey {
  networkId: string
  deviceId: string
}

/**
 * Gives up waiting: the messages become `unconfirmed`, charged as they are. The rows stay until the time for corrections is over, so
 * that a late receipt still finds its message.
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
        event: 'receipt_lost',
        atMs: nowMs,
        error: { code: 'receipt_missing', networkCode: null },
      })),
    ),
    updateRows(
      tx,
      'receipts_expected',
      // Found before this transaction: the id may have gone to another message since.
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
