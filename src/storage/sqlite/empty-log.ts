import { sql } from 'kysely'
import type { Db } from '../seam/dialect.ts'

/**
 * Checkpoints the whole write-ahead log and truncates it, so that it contains no earlier data. Returns false
 * if another connection reads or writes for longer than the busy timeout: the log then remains.
 */
export async function emptyLog(db: Db): Promise<boolean> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
  return rows[0]?.busy === 0
}
