import { sql } from 'kysely'
import type { Db } from '../seam/dialect.ts'

/**
 * Takes the whole write-ahead log over into the database and empties it, so that nothing of what was there before stands in it. Gives false when
 * somebody reads or writes for longer than the busy time-out: then the log stays.
 */
export async function emptyLog(db: Db): Promise<boolean> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
  return rows[0]?.busy === 0
}
