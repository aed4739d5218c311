import { sql } from 'kysely'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Database } from '../../storage/tables/schema.ts'
import { deleteRows } from '../../storage/seam/sets.ts'
import type { Writer } from '../../storage/seam/writer.ts'

/** Rows to purge when they are old: their key, and the indexed column with their age. */
export interface OldRows<T extends keyof Database> {
  table: T
  key: readonly (keyof Database[T] & string)[]
  age: keyof Database[T] & string
}

/** Rows that one transaction removes: about 3 ms with its flush, for which every other write waits. */
export const purgedAtOnce = 500

/**
 * Removes one page of the rows with an age up to `upTo`, oldest first; returns whether there may be more. A
 * row whose age changed between read and removal stays.
 */
export async function purgeOld<T extends keyof Database>(
  { read, writer }: { read: Db; writer: Writer },
  { table, key, age }: OldRows<T>,
  upTo: number | string,
): Promise<boolean> {
  const columns = [...new Set([...key, age])]
  const { rows } = await sql<object>`
    select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table)}
    where ${sql.ref(age)} <= ${upTo} order by ${sql.ref(age)} limit ${purgedAtOnce}`.execute(read)
  if (rows.length > 0) await writer.write((tx) => deleteRows(tx, table, columns, rows))
  return rows.length === purgedAtOnce
}
