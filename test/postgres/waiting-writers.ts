import { sql } from 'kysely'
import type { Db } from '../../src/storage/seam/dialect.ts'

/** Whether a transaction of this database waits for the lock of all writers, or of a lane. */
export async function isWriterWaiting(read: Db): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`.execute(read)
  return rows.length > 0
}
