import { Batcher } from '../../runtime/batcher.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ReceiptWord } from '../../messages/outcomes/receipt-readings.ts'
import type { Metrics } from '../../process/metrics.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import type { DispatchUnits } from './dispatch-units.ts'

type Word = Omit<ReceiptWord, 'atMs'>

/** Receipts that share one unit; bounds how long a transaction can last. */
const maxBatch = 1_000

/**
 * Stores receipts in batches, behind the outcomes that were there before them (`posted`). Each settles when it is stored and rejects when it could
 * not be.
 */
export function createReceiptStore(
  {
    units,
    clock,
    metrics,
    pool,
  }: { units: DispatchUnits; clock: Clock; metrics: Metrics; pool: Pick<DevicePool, 'get'> },
  posted: () => Promise<void>,
): Batcher<Word, void> {
  const store = async (take: () => Word[]): Promise<void[]> => {
    await posted()
    const words = take()
    // Stamped when they are written, not when they came: history relies on no change appearing behind its horizon.
    const atMs = clock.now()
    const stamped = words.map((word) => {
      const groupId = pool.get(word.deviceId)?.facts.groupId
      return { ...word, atMs, ...(groupId !== undefined && { groupId }) }
    })
    for (const { status } of await units.settleReceipts(stamped)) metrics.advanced(status)
    return words.map(() => undefined)
  }
  return new Batcher(store, { maxWeight: maxBatch })
}
