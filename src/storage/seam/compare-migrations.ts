import { sql } from 'kysely'
import type { Db } from './dialect.ts'
import { type Migration, readMigrations } from './migrate.ts'

/** What is recorded of a migration. */
export type RecordedMigration = Pick<Migration, 'name' | 'checksum'>

export interface MigrationState {
  applied: string[]
  /** Known to this version, not applied yet. */
  pending: string[]
  /** Applied, but unknown to this version: the database is newer. */
  unknown: string[]
  /** Applied, but from a different file. */
  changed: string[]
}

const findTable = {
  sqlite: sql`select 1 from sqlite_master where name = 'schema_migrations'`,
  postgres: sql`select 1 where to_regclass('schema_migrations') is not null`,
}

/**
 * Compares the schema of a database with the migrations of this version, or with those that are given. In a database of another program, nothing is
 * applied.
 */
export async function compareMigrations(
  db: Db,
  kind: 'sqlite' | 'postgres',
  given?: readonly RecordedMigration[],
): Promise<MigrationState> {
  const known = given ?? (await readMigrations(kind))
  const table = await findTable[kind].execute(db)
  if (table.rows.length === 0)
    return { applied: [], pending: known.map(({ name }) => name), unknown: [], changed: [] }
  const { rows } = await sql<{
    name: string
    checksum: string
  }>`select name, checksum from schema_migrations order by name`.execute(db)
  const checksums = new Map(rows.map((row) => [row.name, row.checksum]))
  return {
    applied: [...checksums.keys()],
    pending: known.filter(({ name }) => !checksums.has(name)).map(({ name }) => name),
    unknown: [...checksums.keys()].filter((name) => !known.some((migration) => migration.name === name)),
    changed: known
      .filter(({ name, checksum }) => (checksums.get(name) ?? checksum) !== checksum)
      .map(({ name }) => name),
  }
}
