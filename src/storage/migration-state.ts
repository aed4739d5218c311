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

/** How the schema of a database stands to this program. A file that is no database of ours has nothing applied. */
export async function compareMigrations(db: Db, kind: 'sqlite' | 'postgres'): Promise<MigrationState> {
  const known = await readMigrations(kind)
  const table = await (
    kind === 'sqlite'
      ? sql`select 1 from sqlite_master where name = 'schema_migrations'`
      : sql`select 1 from pg_tables where tablename = 'schema_migrations' and schemaname = current_schema()`
  ).execute(db)
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
