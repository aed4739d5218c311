import { DatabaseSync } from 'node:sqlite'
import { readMigrations } from '../../src/storage/seam/migrate.ts'
import { headOfSchema, wholeSchemaPath } from '../../src/storage/seam/whole-schema.ts'
import type { Generator } from './generator.ts'

/** `src/storage/schema/sqlite.sql`: the schema that a new embedded database gets in the place of all migrations. */
export const wholeSchema: Generator = {
  path: wholeSchemaPath,
  async render() {
    const migrations = await readMigrations('sqlite')
    const database = new DatabaseSync(':memory:')
    for (const { statements } of migrations) database.exec(statements)
    requireNoRows(database)
    const definitions = database
      .prepare('select sql from sqlite_master where sql is not null order by rowid')
      .all() as { sql: string }[]
    database.close()
    return `${headOfSchema(migrations)}\n${definitions.map(({ sql }) => `\n${sql};\n`).join('')}`
  },
}

/** A row that a migration inserts into an empty database would be missing from the schema. */
function requireNoRows(database: DatabaseSync): void {
  const tables = database.prepare(`select name from sqlite_master where type = 'table'`).all() as {
    name: string
  }[]
  const filled = tables.filter(
    ({ name }) => database.prepare(`select 1 from ${name} limit 1`).get() !== undefined,
  )
  if (filled.length > 0)
    throw new Error(
      `A migration inserts rows into an empty database: ${filled.map(({ name }) => name).join(', ')}. Take them along in scripts/generators/whole-schema.ts.`,
    )
}
