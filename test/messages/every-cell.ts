import { sql } from 'kysely'
import type { Db } from '../../src/storage/dialect.ts'

/** The names of the tables any of whose cells holds one of these texts. */
export async function tablesWith(db: Db, texts: readonly string[]): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' and name not in ('schema_migrations', 'sqlite_sequence')`.execute(
    db,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db)
    const cells = JSON.stringify(rows)
    if (texts.some((text) => cells.includes(text))) found.push(name)
  }
  return found
}
