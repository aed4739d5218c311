import { CompiledQuery } from 'kysely'
import type { Db, Row, SelectEach, SetStatements, Tx, Value } from '../seam/dialect.ts'
import { columnArrays, last, least, oneForEachKey, sum } from './postgres-rows.ts'

/** Returns the type of each column of a table, in PostgreSQL's notation. */
export type ColumnTypes = (db: Tx, table: string) => Promise<ReadonlyMap<string, string>>

/** Marks a query with constant text, so that the server parses it once per connection. */
const constant = Symbol('constant')
export const isConstant = (query: CompiledQuery): boolean =>
  (query as { [constant]?: true })[constant] === true

const run = async (db: Db | Tx, sql: string, values: readonly unknown[]) =>
  db.executeQuery<Row>({ ...CompiledQuery.raw(sql, [...values]), [constant]: true } as CompiledQuery<Row>)

/** Reads the types of each table once. */
export function columnTypesReader(): ColumnTypes {
  const known = new Map<string, ReadonlyMap<string, string>>()
  return async (db, table) => {
    const found = known.get(table)
    if (found !== undefined) return found
    const { rows } = await run(
      db,
      `select attname as name, format_type(atttypid, null) as type from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [table],
    )
    const types = new Map(rows.map((row) => [row['name'] as string, row['type'] as string]))
    known.set(table, types)
    return types
  }
}

/** Passes sets of rows as arrays that are unnested, with constant SQL text. */
export function postgresSets(typesOf: ColumnTypes): SetStatements {
  const unnestTyped: UnnestTyped = async (db, table, columns) => {
    const types = await typesOf(db, table)
    return unnest(columns.map((column) => types.get(column) ?? refuseColumn(table, column)))
  }
  return {
    async insertRows(db, table, columns, rows, onConflict) {
      const ignoring = onConflict === 'ignore' ? ' on conflict do nothing' : ''
      const into = `insert into ${table} (${columns.map(quoted).join(', ')})`
      const values = await unnestTyped(db, table, columns)
      return change(db, `${into} select * from ${values}${ignoring}`, rows)
    },
    updateRows: (db, table, columns, key, rows) =>
      update(unnestTyped, db, table, {
        set: columns.map((column) => [column, (value) => value]),
        key,
        rows: oneForEachKey(rows, (i) => i >= columns.length, last),
      }),
    async deleteRows(db, table, key, rows) {
      const at = names('k', key)
      const from = `${await unnestTyped(db, table, key)} as v(${at.join(', ')})`
      const sql = `delete from ${table} t using ${from} where ${matches(key, at)}`
      return change(
        db,
        sql,
        oneForEachKey(rows, () => true, last),
      )
    },
    adjustRows: (db, table, key, amounts, rows) =>
      update(unnestTyped, db, table, {
        set: amounts.map((column) => [column, (amount) => `t.${quoted(column)} + ${amount}`]),
        key,
        rows: oneForEachKey(rows, (i) => i >= amounts.length, sum),
      }),
    addToRows: (...asked) => addToRows(unnestTyped, ...asked),
    selectEach,
  }
}

type UnnestTyped = (db: Tx, table: string, columns: readonly string[]) => Promise<string>

const refuseColumn = (table: string, column: string): never => {
  throw new Error(`${table} has no column ${column}`)
}

const quoted = (name: string): string => `"${name}"`
const names = (letter: string, columns: readonly string[]): string[] => columns.map((_, i) => `${letter}${i}`)
const matches = (key: readonly string[], at: readonly string[]): string =>
  key.map((column, i) => `t.${quoted(column)} = v.${at[i]}`).join(' and ')
const unnest = (types: readonly string[]): string =>
  `unnest(${types.map((type, i) => `$${i + 1}::${type}[]`).join(', ')})`

async function change(db: Tx, sql: string, rows: readonly Value[][]): Promise<number> {
  const width = rows[0]?.length ?? 0
  return Number((await run(db, sql, columnArrays(width, rows))).numAffectedRows ?? 0n)
}

interface Assignment {
  /** Columns with their new value, as a function of the name of the input. */
  set: readonly [column: string, become: (value: string) => string][]
  key: readonly string[]
  rows: readonly Value[][]
}

/** A column can be set and be part of the key, so both have names of their own. */
async function update(
  unnestTyped: UnnestTyped,
  db: Tx,
  table: string,
  { set, key, rows }: Assignment,
): Promise<number> {
  const columns = set.map(([column]) => column)
  const [setAt, keyAt] = [names('c', columns), names('k', key)]
  const assignments = set.map(([column, become], i) => `${quoted(column)} = ${become(`v.${setAt[i]}`)}`)
  const values = await unnestTyped(db, table, [...columns, ...key])
  return change(
    db,
    `update ${table} t set ${assignments.join(', ')}
     from ${values} as v(${[...setAt, ...keyAt].join(', ')}) where ${matches(key, keyAt)}`,
    rows,
  )
}

async function addToRows(
  unnestTyped: UnnestTyped,
  ...[db, table, key, amounts, lowest, rows]: Parameters<SetStatements['addToRows']>
): Promise<number> {
  const columns = [...key, ...amounts, ...lowest]
  const become = (column: string, value: (a: string, b: string) => string): string =>
    `${quoted(column)} = ${value(`t.${quoted(column)}`, `excluded.${quoted(column)}`)}`
  const sums = amounts.map((column) => become(column, (a, b) => `${a} + ${b}`))
  const minima = lowest.map((column) => become(column, (a, b) => `least(${a}, ${b})`))
  const values = await unnestTyped(db, table, columns)
  return change(
    db,
    `insert into ${table} as t (${columns.map(quoted).join(', ')}) select * from ${values}
     on conflict (${key.map(quoted).join(', ')}) do update set ${[...sums, ...minima].join(', ')}`,
    oneForEachKey(
      rows,
      (i) => i < key.length,
      (a, b, i) => (i < key.length + amounts.length ? sum(a, b) : least(a, b)),
    ),
  )
}

/**
 * Runs a SELECT once per set of inputs. The inputs are the outer side of a lateral join, which preserves
 * their order and, with it, the order of the rows of each.
 */
async function selectEach(db: Db | Tx, statement: SelectEach, inputs: readonly Value[][]): Promise<Row[]> {
  const columns = columnArrays(statement.inputs.length, inputs)
  const types = columns.map((values, i) => inputType(statement, i, values))
  const select = statement.sql.replace(/(?<!:):([a-z_]+)/g, (_, name: string) => `input.${quoted(name)}`)
  const inputNames = statement.inputs.map(quoted).join(', ')
  const order = /\border by\b/i.test(select) ? '' : 'order by input.ordinality'
  const sql = `select found.* from ${unnest(types)} with ordinality as input(${inputNames}, ordinality)
    cross join lateral (${select}) found ${order}`
  return (await run(db, sql, columns)).rows
}

/** An input that is null in every set needs its type from the statement (`numbers`). */
function inputType({ inputs, numbers = [] }: SelectEach, index: number, values: readonly Value[]): string {
  if (numbers.includes(inputs[index] as string)) return 'bigint'
  return values.some((value) => typeof value === 'number') ? 'bigint' : 'text'
}
