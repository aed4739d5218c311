import { sql } from 'kysely'
import type { Clock } from '../../runtime/clock.ts'
import type { Db, SetAdapter, Tx } from './dialect.ts'

/**
 * Returns the time that all nodes of a database agree on, in milliseconds since 1970: the server's on
 * PostgreSQL; on the embedded database, which one process serves, that of its clock.
 */
export async function databaseTime(db: Db | Tx, clock: Pick<Clock, 'now'>): Promise<number> {
  const { clockQuery } = db.getExecutor().adapter as SetAdapter
  if (clockQuery === null) return clock.now()
  const { rows } = await sql.raw<{ now: number }>(clockQuery).execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('the database does not report its time')
  return row.now
}

/** Returns which history of data the server of the database writes; null on the embedded one. */
export async function clusterOf(db: Db | Tx): Promise<string | null> {
  const { clusterQuery } = db.getExecutor().adapter as SetAdapter
  if (clusterQuery === null) return null
  const { rows } = await sql.raw<{ cluster: string }>(clusterQuery).execute(db)
  return rows[0]?.cluster ?? null
}

/** Returns whether other processes can serve the database: then it has its own time. */
export const isShared = (db: Db | Tx): boolean => (db.getExecutor().adapter as SetAdapter).clockQuery !== null
