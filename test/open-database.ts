import { Kysely } from 'kysely'
import { RecentTimes } from '../src/runtime/recent-times.ts'
import { databaseFile } from '../src/process/data-folder.ts'
import { connectLocally } from '../src/storage/sqlite/local-connection.ts'
import { postgresDialect } from '../src/storage/postgres/postgres-dialect.ts'
import { createPostgresPool } from '../src/storage/postgres/postgres-client.ts'
import type { Database } from '../src/storage/tables/schema.ts'
import { databaseSettings, isPostgres } from './test-database.ts'

/** The database of a data folder by itself, beside whatever serves it: what stands in it is read, and damaged, as it is. */
export interface OpenedDatabase {
  db: Kysely<Database>
  close(): Promise<void>
}

/** Opens it; nothing is made, migrated or checked. */
export function openDatabase(dataFolder: string): OpenedDatabase {
  if (!isPostgres) return connectToFile(dataFolder)
  const db = connectToServer(dataFolder)
  return { db, close: () => db.destroy() }
}

/** The same for as long as `use` needs it. */
export async function withDatabase<T>(
  dataFolder: string,
  use: (db: Kysely<Database>) => Promise<T>,
): Promise<T> {
  const { db, close } = openDatabase(dataFolder)
  try {
    return await use(db)
  } finally {
    await close()
  }
}

const connectToFile = (dataFolder: string): OpenedDatabase =>
  connectLocally({
    file: databaseFile(dataFolder),
    readOnly: false,
    busyTimeoutMs: 5_000,
    cacheKiB: 2_048,
  })

function connectToServer(dataFolder: string): Kysely<Database> {
  const url = databaseSettings(dataFolder)['DATABASE_URL'] as string
  const settings = {
    url,
    applicationName: 'test',
    readers: 1,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 20_000,
  }
  const start = { locks: () => 'select 1', next: { lanes: null }, flushTimes: new RecentTimes() }
  return new Kysely<Database>({ dialect: postgresDialect(createPostgresPool(settings, 1), start) })
}
