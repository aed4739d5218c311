import { sql } from 'kysely'
import type { Db } from '../../src/storage/seam/dialect.ts'

/** The names of the tables any of whose cells holds one of these texts. */
export async function tablesWith(db: Db, texts: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const name of await tableNames(db)) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db)
    const cells = JSON.stringify(rows)
    if (texts.some((text) => cells.includes(text))) found.push(name)
  }
  return found
}

const ofSqlite = sql<Column>`
  select t.name as "table", c.name as "column", c.type from sqlite_master t join pragma_table_info(t.name) c where t.type = 'table'`
const ofPostgres = sql<Column>`
  select table_name as "table", column_name as "column", data_type as type from information_schema.columns where table_schema = 'public'`
interface Column {
  table: string
  column: string
  type: string
}

/** Of either database: some tests run on an SQLite in memory whatever the others run on. */
async function columnsOf(db: Db): Promise<Column[]> {
  const { rows } = await ofSqlite.execute(db).catch(() => ofPostgres.execute(db))
  return rows.filter(({ table }) => table !== 'schema_migrations' && table !== 'sqlite_sequence')
}

export const tableNames = async (db: Db): Promise<string[]> =>
  [...new Set((await columnsOf(db)).map(({ table }) => table))].toSorted()

/** The names of the text columns that hold one of these texts somewhere, as `table.column`; without texts all there are. */
export async function textColumnsWith(db: Db, texts: readonly string[] | null): Promise<string[]> {
  const found: string[] = []
  for (const { table, column, type } of await columnsOf(db)) {
    if (type.toLowerCase() !== 'text') continue
    if (texts !== null) {
      const { rows } = await sql`select ${sql.ref(column)} as cell from ${sql.table(table)}`.execute(db)
      const cells = JSON.stringify(rows)
      if (!texts.some((text) => cells.includes(text))) continue
    }
    found.push(`${table}.${column}`)
  }
  return found
}
