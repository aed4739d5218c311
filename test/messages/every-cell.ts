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

/** The names of the text columns that hold one of these texts somewhere, as `table.column`; without texts all there are. */
export async function textColumnsWith(db: Db, texts: readonly string[] | null): Promise<string[]> {
  const { rows: columns } = await sql<{ place: string; table: string; column: string }>`
    select t.name || '.' || c.name as place, t.name as "table", c.name as "column"
    from sqlite_master t join pragma_table_info(t.name) c
    where t.type = 'table' and t.name not in ('schema_migrations', 'sqlite_sequence') and lower(c.type) = 'text' order by place`.execute(
    db,
  )
  const found: string[] = []
  for (const { place, table, column } of columns) {
    if (texts !== null) {
      const { rows } = await sql`select ${sql.ref(column)} as cell from ${sql.table(table)}`.execute(db)
      const cells = JSON.stringify(rows)
      if (!texts.some((text) => cells.includes(text))) continue
    }
    found.push(place)
  }
  return found
}
