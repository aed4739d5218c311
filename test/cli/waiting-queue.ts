import { insertRows } from '../../src/storage/seam/sets.ts'
import type { TestStorage } from '../open-test-storage.ts'

/** A waiting message, and one in flight. */
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
    await insertRows(tx, 'queue', [{ ...place, message_id: 'msg_1' }])
    const { route_key, due_at } = place
    await insertRows(tx, 'attempts', [
      { account_id: 'acc_a', mode: 'live', message_id: 'msg_2', number: 1, id: 'att_2', device_id: 'dev_a', fence: 1, state: 'handing_over', started_at: 1, route_key, due_at, refusals: 0 },
    ]) // prettier-ignore
    await insertRows(tx, 'queue_totals', [
      { account_id: 'acc_a', mode: 'live', route_key: 'live:', messages: 1, parts: 1, next_expiry_at: 2 },
    ])
  })

/** Of each message that waits, whether a restore holds it. */
export const readHolds = async ({ storage }: Pick<TestStorage, 'storage'>): Promise<number[]> =>
  (
    await Promise.all(
      (['queue', 'attempts'] as const).map((table) =>
        storage.read.selectFrom(table).select('restore_hold').execute(),
      ),
    )
  )
    .flat()
    .map((row) => row.restore_hold)
