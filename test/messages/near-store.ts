import { Kysely, sql } from 'kysely'
import type { Db } from '../../src/storage/dialect.ts'
import { StorageError } from '../../src/storage/dialect.ts'
import { migrate, readMigrations } from '../../src/storage/migrate.ts'
import type { Database } from '../../src/storage/schema.ts'
import { SqliteConnection, type Statement } from '../../src/storage/sqlite-connection.ts'
import { faultOf } from '../../src/storage/sqlite-faults.ts'
import { sqliteDialect } from '../../src/storage/sqlite.ts'
import { Writer } from '../../src/storage/writer.ts'

/** The real store without its threads and without a disk: the same connection, statements, writer and schema, a hundred times as quick. */
export interface NearStore {
  db: Db
  writer: Writer
  /** Removes every row. */
  clear(): void
  /** How many rows have been changed so far, what was rolled back among them: while it stands, so does everything that is stored. */
  changes(): number
  close(): Promise<void>
}

export async function openNearStore(nowMs: number): Promise<NearStore> {
  const connection = new SqliteConnection({
    file: ':memory:',
    readOnly: false,
    busyTimeoutMs: 0,
    cacheKiB: 16_384,
  })
  const execute = (statement: Statement) => {
    try {
      return connection.execute(statement)
    } catch (error) {
      const { message, errcode } = error as Error & { errcode?: number }
      throw new StorageError(message, faultOf(errcode ?? 0), !connection.inTransaction)
    }
  }
  const run = (text: string): void => void execute({ op: 'exec', sql: text, values: [] })
  const db: Db = new Kysely<Database>({
    dialect: sqliteDialect({
      execute: async (statement) => execute(statement),
      transaction: async (step) => run(step === 'begin' ? 'begin immediate' : step),
      close: async () => undefined,
    }),
  })
  const writer = new Writer(db)
  await migrate(writer, await readMigrations('sqlite'), nowMs)
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' and name not in ('schema_migrations', 'sqlite_sequence')`.execute(
    db,
  )
  const clear = `pragma foreign_keys = off; begin; ${rows.map(({ name }) => `delete from ${name};`).join(' ')} commit; pragma foreign_keys = on;`
  const totalChanges = { op: 'all', sql: 'select total_changes()', values: [] } as const
  return {
    db,
    writer,
    clear: () => run(clear),
    changes: () => Number(execute(totalChanges).rows?.[0]?.[0]),
    close: () => db.destroy(),
  }
}
