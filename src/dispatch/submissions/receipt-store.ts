import { Batcher } from '../../runtime/batcher.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ReceiptWord } from '../../messages/outcomes/receipt-readings.ts'
import type { Metrics } from '../../process/metrics.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import type { DispatchUnits } from './dispatch-units.ts'

type UnstampedReceipt = Omit<ReceiptWord, 'atMs'>

/** Receipts that share one unit; limits how long a transaction can last. */
const maxBatch = 1_000

/**
 * Stores receipts in batches, after the outcomes that arrived before them (`posted`). Each settles when it is
 * stored, and rejects when it could not be.
 */
export function createReceiptStore(
  {
    units,
    clock,
    metrics,
    pool,
  }: { units: DispatchUnits; clock: Clock; metrics: Metrics; pool: Pick<DevicePool, 'get'> },
  posted: () => Promise<void>,
): Batcher<UnstampedReceipt, void> {
  const store = async (take: () => UnstampedReceipt[]): Promise<void[]> => {
    await posted()
    const receipts = take()
    const atMs = clock.now()
    const stamped = receipts.map((receipt) => {
      const groupId = pool.get(receipt.deviceId)?.facts.groupId
      return { ...receipt, atMs, ...(groupId !== undefined && { groupId }) }
    })
    for (const { status } of await units.settleReceipts(stamped)) metrics.advanced(status)
    return receipts.map(() => undefined)
  }
  return new Batcher(store, { maxWeight: maxBatch })
}
