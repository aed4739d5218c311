import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { openCrossing } from '../src/storage/seam/crossing.ts'
import type { Db } from '../src/storage/seam/dialect.ts'
import { guardConnection } from '../src/storage/sqlite/guarded-connection.ts'
import { migrate, readMigrations } from '../src/storage/seam/migrate.ts'
import type { Database } from '../src/storage/tables/schema.ts'
import { SqliteConnection } from '../src/storage/sqlite/sqlite-connection.ts'
import { sqliteDialect } from '../src/storage/sqlite/sqlite-dialect.ts'
import { Writer } from '../src/storage/seam/writer.ts'

/** The embedded database without its threads and without a flush: the same connection, statements, writer and schema, a hundred times as quick. */
export interface NearStore {
  connection: SqliteConnection
  /** By the connection that writes: it sees what is not committed yet. */
  db: Db
  writer: Writer
  /** Removes every row. */
  clear(): void
  /** Whether its tables were analysed. */
  hasStatistics(): boolean
  /** How many rows have been changed so far, what was rolled back among them: while it stands, so does everything that is stored. */
  changes(): number
  close(): Promise<void>
}

/** In memory, unless a file is named. */
export async function openNearStore(nowMs: number, file = ':memory:'): Promise<NearStore> {
  if (file !== ':memory:' && !existsSync(file)) copyFileSync(await emptyFile(), file)
  const connection = new SqliteConnection({ file, readOnly: false, busyTimeoutMs: 5_000, cacheKiB: 16_384 })
  const run = (text: string): void => void connection.execute({ op: 'exec', sql: text, values: [] })
  run('pragma synchronous = off')
  const dialect = sqliteDialect(guardConnection(connection).executor)
  const db: Db = new Kysely<Database>({ dialect })
  const writer = new Writer(openCrossing(dialect))
  await migrate(writer, await readMigrations('sqlite'), nowMs)
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' and name not in ('schema_migrations', 'sqlite_sequence')`.execute(
    db,
  )
  const clear = `pragma foreign_keys = off; begin; ${rows.map(({ name }) => `delete from ${name};`).join(' ')} commit; pragma foreign_keys = on;`
  const one = (text: string): number =>
    Number(connection.execute({ op: 'all', sql: text, values: [] }).rows?.[0]?.[0])
  return {
    connection,
    db,
    writer,
    clear: () => run(clear),
    hasStatistics: () => one(`select count(*) from sqlite_master where name = 'sqlite_stat1'`) > 0,
    changes: () => one('select total_changes()'),
    close: () => db.destroy(),
  }
}

let empty: Promise<string> | undefined

/** A database with all tables, which every other one of this process is copied from: to bring one so far takes a tenth of a second. */
const emptyFile = (): Promise<string> => (empty ??= makeEmptyFile())

async function makeEmptyFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'onesixty-empty-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'empty.db')
  const store = await openNearStore(0)
  store.connection.execute({ op: 'run', sql: 'vacuum into ?', values: [file] })
  await store.close()
  return file
}
