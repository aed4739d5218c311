import type { AgreedClock } from '../runtime/agreed-clock.ts'
import { databaseTime, isShared } from '../storage/seam/database-time.ts'
import type { Storage } from '../storage/seam/storage.ts'

/**
 * Reads the database's time before anything is written, so that a node with a wrong clock is right from its
 * first row on.
 */
export async function agreeOnTime(clock: AgreedClock, { read }: Pick<Storage, 'read'>): Promise<void> {
  if (!isShared(read)) return
  const askedMs = clock.monotonicMs()
  const databaseMs = await databaseTime(read, clock)
  clock.hear({ databaseMs, askedMs, answeredMs: clock.monotonicMs() })
}
