import { sql } from 'kysely'
import type { Db, SetAdapter, Tx } from '../seam/dialect.ts'
import { connectLocally, type LocalConnection } from './local-connection.ts'

/**
 * A database file, read as it is: nothing is created, migrated or served. For `doctor`, backups and restores.
 */
export interface DatabaseFile {
  db: Db
  close(): Promise<void>
}

/** Opens a file for reading. If it is no database, the first statement fails. */
export function openDatabaseFile(file: string): DatabaseFile {
  const { db, close } = connect(file, true)
  return { db, close }
}

/**
 * Runs one unit in its own transaction on a file that no other process uses, and leaves no log next to it.
 */
export async function writeDatabaseFile(file: string, unit: (tx: Tx) => Promise<void>): Promise<void> {
  const { db, close } = connect(file, false)
  try {
    await db.transaction().execute(unit)
    // Ends the log: all changes are then in the file itself.
    await sql`pragma journal_mode = delete`.execute(db)
  } finally {
    await close()
  }
}

const connect = (file: string, readOnly: boolean): LocalConnection =>
  connectLocally({ ...settings, file, readOnly })

const settings = { busyTimeoutMs: 5_000, cacheKiB: 16_384 }

/** Runs `read` on one connection in one read transaction: it sees one moment, regardless of later writes. */
export async function inSnapshot<T>(db: Db, read: (snapshot: Db) => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql.raw((db.getExecutor().adapter as SetAdapter).snapshotStart).execute(connection)
    try {
      return await read(connection)
    } finally {
      await sql`rollback`.execute(connection)
    }
  })
}

/**
 * Returns the damage that SQLite finds in the file, at most 20 lines; `full` also checks the indexes and
 * reads everything twice.
 */
export async function findDamage(db: Db, full: boolean): Promise<string[]> {
  const { rows } = await (full ? sql`pragma integrity_check(20)` : sql`pragma quick_check(20)`).execute(db)
  const lines = rows.map((row) => String(Object.values(row as object)[0]))
  return lines.length === 1 && lines[0] === 'ok' ? [] : lines
}

/** Returns `synchronous` of a connection that writes, read back after a write: 2 is FULL. */
export async function readSyncLevel(file: string): Promise<number> {
  const { db, syncLevel, close } = connect(file, false)
  const undone = new Error('undone')
  try {
    await db
      .transaction()
      .execute(async (tx) => {
        await tx
          .updateTable('instance')
          .set({ epoch: sql`epoch` })
          .execute()
        throw undone
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error
      })
    return syncLevel()
  } finally {
    await close()
  }
}
