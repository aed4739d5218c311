import { sql } from 'kysely'
import type { Db } from './dialect.ts'
import { readMigrations } from './migrate.ts'

export interface MigrationState {
  applied: string[]
  /** Known here, not yet there. */
  pending: string[]
  /** There, not known here: the database is newer. */
  unknown: string[]
  /** Applied from a file that was another then. */
  changed: string[]
}

const findTable = {
  sqlite: sql`select 1 from sqlite_master where name = 'schema_migrations'`,
  postgres: sql`select 1 where to_regclass('schema_migrations') is not null`,
}

/** How the schema of a database stands to this program. A database that is none of ours has nothing applied. */
export async function compareMigrations(db: Db, kind: 'sqlite' | 'postgres'): Promise<MigrationState> {
  const known = await readMigrations(kind)
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
