import { Kysely, sql } from 'kysely'
import type { Db, Tx } from './dialect.ts'
import { readMigrations } from './migrate.ts'
import type { Database } from './schema.ts'
import { SqliteThread } from './sqlite-thread.ts'
import { sqliteDialect } from './sqlite.ts'

/** A database file by itself: nothing is created, migrated or served. For `doctor`, backups and restores. */
export interface DatabaseFile {
  db: Db
  close(): Promise<void>
}

/** Opens a file for reading. Fails at the first statement when it is no database. */
export function openDatabaseFile(file: string): DatabaseFile {
  const db = connect(file, true)
  return { db, close: () => db.destroy() }
}

/** Runs one unit in a transaction of its own on a file that nobody else uses, and leaves no log beside it. */
export async function writeDatabaseFile(file: string, unit: (tx: Tx) => Promise<void>): Promise<void> {
  const db = connect(file, false)
  try {
    await db.transaction().execute(unit)
    // Ends the log: all that was written stands in the file itself.
    await sql`pragma journal_mode = delete`.execute(db)
  } finally {
    await db.destroy()
  }
}

const connect = (file: string, readOnly: boolean): Db =>
  new Kysely<Database>({
    dialect: sqliteDialect(new SqliteThread({ file, readOnly, busyTimeoutMs: 5_000, cacheKiB: 16_384 })),
  })

/** Runs `look` on one connection in one read transaction: whatever is written meanwhile, it sees one instant. */
export async function inSnapshot<T>(db: Db, look: (snapshot: Db) => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql`begin`.execute(connection)
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

/** Which migrations were applied, which this program has beyond them, and which it does not know. */
export async function compareMigrations(
  db: Db,
): Promise<{ applied: string[]; pending: string[]; unknown: string[] }> {
  const known = (await readMigrations('sqlite')).map((migration) => migration.name)
  const tables = await sql`select 1 from sqlite_master where name = 'schema_migrations'`.execute(db)
  if (tables.rows.length === 0) return { applied: [], pending: known, unknown: [] }
  const { rows } = await sql<{ name: string }>`select name from schema_migrations order by name`.execute(db)
  const applied = rows.map((row) => row.name)
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  }
}

/** `synchronous` of a connection that writes, read back after a write (sqlite.org/pragma.html#pragma_synchronous): 2 is FULL. */
export async function readSyncLevel(file: string): Promise<number> {
  const thread = new SqliteThread({ file, readOnly: false, busyTimeoutMs: 5_000, cacheKiB: 1_024 })
  try {
    await thread.execute({
      op: 'exec',
      sql: 'begin immediate; update instance set epoch = epoch; rollback',
      values: [],
    })
    return (await thread.execute({ op: 'synchronous', sql: '', values: [] })).changes ?? 0
  } finally {
    await thread.close()
  }
}
