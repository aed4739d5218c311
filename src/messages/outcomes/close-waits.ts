import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach, updateRows } from '../../storage/seam/sets.ts'
import type { MessageState } from '../core/message-store.ts'
import { waitsForReceipt } from './move-by-evidence.ts'

/**
 * Returns the messages that became final after several attempts, each of which may have receipts to come. One that was
 * corrected to `sent` waits for its receipts from then on.
 */
export const finalOfSeveral = (moved: readonly (MessageState | null)[]): MessageState[] =>
  moved.filter(
    (state): state is MessageState =>
      state !== null &&
      state.finalized_at !== null &&
      state.attempts > 1 &&
      state.sent_at !== null &&
      !waitsForReceipt(state),
  )

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
