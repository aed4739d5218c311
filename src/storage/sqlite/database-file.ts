import { sql } from 'kysely'
import type { Db, SetAdapter, Tx } from '../seam/dialect.ts'
import { connectLocally, type LocalConnection } from './local-connection.ts'

/** A database file by itself: nothing is created, migrated or served. For `doctor`, backups and restores. */
export interface DatabaseFile {
  db: Db
  close(): Promise<void>
}

/** Opens a file for reading. Fails at the first statement when it is no database. */
export function openDatabaseFile(file: string): DatabaseFile {
  const { db, close } = connect(file, true)
  return { db, close }
}

/** Runs one unit in a transaction of its own on a file that nobody else uses, and leaves no log beside it. */
export async function writeDatabaseFile(file: string, unit: (tx: Tx) => Promise<void>): Promise<void> {
  const { db, close } = connect(file, false)
  try {
    await db.transaction().execute(unit)
    // Ends the log: all that was written stands in the file itself.
    await sql`pragma journal_mode = delete`.execute(db)
  } finally {
    await close()
  }
}

const connect = (file: string, readOnly: boolean): LocalConnection =>
  connectLocally({ ...settings, file, readOnly })

const settings = { busyTimeoutMs: 5_000, cacheKiB: 16_384 }

/** Runs `look` on one connection in one read transaction: whatever is written meanwhile, it sees one instant. */
export async function inSnapshot<T>(db: Db, look: (snapshot: Db) => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql.raw((db.getExecutor().adapter as SetAdapter).snapshotStart).execute(connection)
    try {
      return await look(connection)
    } finally {
      await sql`rollback`.execute(connection)
    }
  })
}

/** What SQLite finds wrong in the file itself, at most 20 lines; `full` looks into the indexes too and reads everything twice. */
export async function findDamage(db: Db, full: boolean): Promise<string[]> {
  const { rows } = await (full ? sql`pragma integrity_check(20)` : sql`pragma quick_check(20)`).execute(db)
  const lines = rows.map((row) => String(Object.values(row as object)[0]))
  return lines.length === 1 && lines[0] === 'ok' ? [] : lines
}

/** `synchronous` of a connection that writes, read back after a write: 2 is FULL. */
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
