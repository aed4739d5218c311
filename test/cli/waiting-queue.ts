import { insertRows } from '../../src/storage/seam/sets.ts'
import type { TestStorage } from '../open-test-storage.ts'

/** Two waiting messages, one of them claimed. */
export const enqueueTwo = ({ storage }: Pick<TestStorage, 'storage'>): Promise<void> =>
  storage.writer.write(async (tx) => {
    const place = {
      route_key: 'live:',
      account_id: 'acc_a',
      priority: 1,
      due_at: 1,
      mode: 'live',
      parts: 1,
      expires_at: 2,
    } as const
    await insertRows(tx, 'queue', [
      { ...place, message_id: 'msg_1', claimed_by: null },
      { ...place, message_id: 'msg_2', claimed_by: 'dev_a' },
    ])
    await insertRows(tx, 'queue_totals', [
      { account_id: 'acc_a', mode: 'live', route_key: 'live:', messages: 1, parts: 1, next_expiry_at: 2 },
    ])
  })

/** Of each message that waits, whether a restore holds it. */
export const readHolds = async ({ storage }: Pick<TestStorage, 'storage'>): Promise<number[]> =>
  (await storage.read.selectFrom('queue').select('restore_hold').orderBy('message_id').execute()).map(
    (row) => row.restore_hold,
  )
