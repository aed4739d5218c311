import type { Insertable, Updateable } from 'kysely'
import type { Db, SelectEach, SetAdapter, SetStatements, Tx, Value } from './dialect.ts'
import { refuseOtherReads, refuseOtherRows } from './within-lanes.ts'
import type { Database } from '../tables/schema.ts'

type Table = keyof Database
type Column<T extends Table> = keyof Database[T] & string

const setsOf = (db: Db | Tx): SetStatements => (db.getExecutor().adapter as SetAdapter).sets

const valuesOf = (columns: readonly string[], rows: readonly object[]): Value[][] =>
  rows.map((row) => columns.map((column) => (row as Record<string, Value>)[column] ?? null))

/**
 * Reads what the functions below need to know of the tables; called once they are there. From then on statements leave in
 * the order in which they are posted.
 */
export const learnTables = (tx: Tx): Promise<void> => setsOf(tx).learnTables(tx)

/**
 * Runs a unit that takes few statements on PostgreSQL: what it posts at once through the functions below is one
 * text, of statements that change different tables, and one of the reads that find `few` rows. Each still gets its
 * own count or rows; if one fails, all of its text fail, for its reason. On SQLite they run one by one, in order.
 */
export const together = <T>(tx: Tx, unit: () => Promise<T>): Promise<T> => setsOf(tx).together(tx, unit)

/** Inserts rows that all have the columns of the first one. Returns the number inserted. */
export async function insertRows<T extends Table>(
  tx: Tx,
  table: T,
  rows: readonly Insertable<Database[T]>[],
  onConflict: 'fail' | 'ignore' = 'fail',
): Promise<number> {
  const first = rows[0]
  if (first === undefined) return 0
  refuseOtherRows(tx, table, rows)
  const columns = Object.keys(first)
  return setsOf(tx).insertRows(tx, table, columns, valuesOf(columns, rows), onConflict)
}

/**
 * Updates rows by key: the columns `only`, or without it all that the first row has. With `expected`, a row is changed only
 * if that column still has the value that was read. Returns the number of rows changed.
 */
export async function updateRows<T extends Table, R extends Updateable<Database[T]>>(
  tx: Tx,
  table: T,
  key: readonly Column<T>[],
  rows: readonly R[],
  {
    only,
    expected,
  }: {
    only?: readonly (Column<T> & keyof R)[]
    expected?: { column: Column<T>; of: (row: R, index: number) => Value }
  } = {},
): Promise<number> {
  const first = rows[0]
  if (first === undefined) return 0
  refuseOtherRows(tx, table, rows, key)
  const columns = only ?? Object.keys(first).filter((column) => !(key as readonly string[]).includes(column))
  const values = valuesOf([...columns, ...key], rows)
  if (expected === undefined) return setsOf(tx).updateRows(tx, table, columns, key, values)
  values.forEach((row, i) => row.push(expected.of(rows[i] as R, i)))
  return setsOf(tx).updateRows(tx, table, columns, [...key, expected.column], values)
}

/** Deletes rows by key. Returns the number deleted. */
export async function deleteRows<T extends Table>(
  tx: Tx,
  table: T,
  key: readonly Column<T>[],
  rows: readonly object[],
): Promise<number> {
  if (rows.length === 0) return 0
  refuseOtherRows(tx, table, rows, key)
  return setsOf(tx).deleteRows(tx, table, key, valuesOf(key, rows))
}

/**
 * Adds amounts, none below 0, to rows by key, and inserts missing ones; `lowest` columns keep the smaller
 * value.
 */
export async function addToRows<T extends Table>(
  tx: Tx,
  table: T,
  shape: { key: readonly Column<T>[]; amounts: readonly Column<T>[]; lowest?: readonly Column<T>[] },
  rows: readonly Updateable<Database[T]>[],
): Promise<number> {
  if (rows.length === 0) return 0
  const { key, amounts, lowest = [] } = shape
  refuseOtherRows(tx, table, rows, key)
  return setsOf(tx).addToRows(
    tx,
    table,
    key,
    amounts,
    lowest,
    valuesOf([...key, ...amounts, ...lowest], rows),
  )
}

/**
 * Adds amounts of either sign to existing rows. Returns the number of rows found; CHECKs reject results below
 * 0.
 */
export async function adjustRows<T extends Table>(
  tx: Tx,
  table: T,
  shape: { key: readonly Column<T>[]; amounts: readonly Column<T>[] },
  rows: readonly Updateable<Database[T]>[],
): Promise<number> {
  if (rows.length === 0) return 0
  const { key, amounts } = shape
  refuseOtherRows(tx, table, rows, key)
  return setsOf(tx).adjustRows(tx, table, key, amounts, valuesOf([...amounts, ...key], rows))
}

/**
 * Runs a SELECT once per set of inputs in one message; the rows are returned together, in the order of the
 * inputs.
 */
export async function selectEach<R extends object>(
  db: Db | Tx,
  statement: SelectEach,
  inputs: readonly Value[][],
): Promise<R[]> {
  if (inputs.length === 0) return []
  refuseOtherReads(db, statement, inputs)
  return (await setsOf(db).selectEach(db, statement, inputs)) as R[]
}
