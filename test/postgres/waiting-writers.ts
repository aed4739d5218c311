import { sql } from 'kysely'
import type { Db } from '../../src/storage/seam/dialect.ts'

/** Returns whether a session of this database waits for a lock, of all writers, a lane or a row (PostgreSQL, pg_stat_activity). */
export async function isSomebodyWaiting(read: Db): Promise<boolean> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
    read,
  )
  return rows.length > 0
}
