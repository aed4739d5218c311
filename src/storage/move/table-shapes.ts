import { sql } from 'kysely'
import type { Db, Tx } from '../seam/dialect.ts'

/** A table of the embedded database, from its schema. */
export interface TableShape {
  name: string
  columns: readonly { name: string; holds: 'number' | 'text' }[]
  /** The columns of the primary key, in its order. */
  key: readonly string[]
}

/** Tables about the database itself, which mean nothing in another one. */
const ownTables: ReadonlySet<string> = new Set(['schema_migrations', 'moves', 'move_progress'])

/**
 * Returns every table with data, from the schema itself, so that a new one is never missed. Referenced tables
 * come before those that refer to them. Rejects a table without a key and circular references: neither can be
 * copied in pages.
 */
export async function readTableShapes(db: Db | Tx): Promise<TableShape[]> {
  const { rows } = await sql<{ table: string; column: string; type: string; place: number }>`
    select t.name as "table", c.name as "column", c.type, c.pk as place from sqlite_master t, pragma_table_info(t.name) c
    where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\' order by t.name, c.cid`.execute(db)
  const references = await sql<{ table: string; target: string }>`
    select t.name as "table", f."table" as target from sqlite_master t, pragma_foreign_key_list(t.name) f
    where t.type = 'table'`.execute(db)
  const shapes = [...Map.groupBy(rows, ({ table }) => table)]
    .filter(([name]) => !ownTables.has(name))
    .map(([name, columns]): TableShape => {
      const key = columns.filter(({ place }) => place > 0).toSorted((a, b) => a.place - b.place)
      if (key.length === 0) throw new Error(`The table ${name} has no primary key.`)
      return {
        name,
        columns: columns.map(({ column, type }) => ({
          name: column,
          holds: type.toLowerCase() === 'integer' ? 'number' : 'text',
        })),
        key: key.map(({ column }) => column),
      }
    })
  return inReferenceOrder(
    shapes,
    Map.groupBy(references.rows, ({ table }) => table),
  )
}

/**
 * Orders tables by their references. The same schema always gives the same order: a run that continues after
 * a kill relies on it.
 */
function inReferenceOrder(
  shapes: readonly TableShape[],
  references: ReadonlyMap<string, readonly { target: string }[]>,
): TableShape[] {
  const ordered: TableShape[] = []
  const placed = new Set<string>()
  while (ordered.length < shapes.length) {
    const next = shapes.filter(
      ({ name }) =>
        !placed.has(name) && (references.get(name) ?? []).every(({ target }) => placed.has(target)),
    )
    if (next.length === 0) {
      const left = shapes.filter(({ name }) => !placed.has(name)).map(({ name }) => name)
      throw new Error(`These tables have circular references: ${left.join(', ')}.`)
    }
    ordered.push(...next)
    for (const { name } of next) placed.add(name)
  }
  return ordered
}
