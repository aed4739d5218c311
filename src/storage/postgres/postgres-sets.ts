import { createHash } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import {
  type Db,
  linesFor,
  type Row,
  type SelectEach,
  type SetStatements,
  type Tx,
  type Value,
} from '../seam/dialect.ts'
import { AlikeColumns, type Columns, eachColumn } from './postgres-columns.ts'
import { columnArrays, last, least, oneForEachKey, sum } from './postgres-rows.ts'
import { type Part, shares } from './postgres-together.ts'

/** The type of each column of a table, in PostgreSQL's notation. */
type Types = ReadonlyMap<string, string>

/** Marks a query with constant text, so that the server parses it once per connection. */
const constant = Symbol('constant')
export const isConstant = (query: CompiledQuery): boolean =>
  (query as { [constant]?: true })[constant] === true

/**
 * Constant texts are prepared once per connection; names are short, because PostgreSQL cuts them at 63
 * octets.
 */
const names = new Map<string, string>()
export function nameOf(sql: string): string {
  const known = names.get(sql)
  if (known !== undefined) return known
  const name = createHash('sha256').update(sql).digest('base64url').slice(0, 22)
  names.set(sql, name)
  return name
}

const constantQuery = (sql: string, values: readonly unknown[]) =>
  ({ ...CompiledQuery.raw(sql, [...values]), [constant]: true }) as CompiledQuery<Row>

/** The types of the columns of each table, which are read once. */
export class ColumnTypes {
  readonly #known = new Map<string, Types>()

  /** Returns those of a table; at once where they are known, so that statements stay in the order in which they are posted. */
  of(db: Tx, table: string): Types | Promise<Types> {
    return this.#known.get(table) ?? this.#readOf(db, table)
  }

  /** Reads those of all tables. */
  async learn(db: Tx): Promise<void> {
    await this.#read(db, "c.relkind = 'r' and c.relnamespace = quote_ident(current_schema())::regnamespace")
  }

  async #readOf(db: Tx, table: string): Promise<Types> {
    await this.#read(db, 'c.oid = $1::regclass', table)
    return this.#known.get(table) ?? new Map()
  }

  async #read(db: Tx, which: string, ...values: string[]): Promise<void> {
    const { rows } = await db.executeQuery(
      constantQuery(
        `select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type
         from pg_attribute a join pg_class c on c.oid = a.attrelid
         where a.attnum > 0 and not a.attisdropped and ${which}`,
        values,
      ),
    )
    for (const [table, columns] of Map.groupBy(rows, (row) => row['table'] as string))
      this.#known.set(table, new Map(columns.map((row) => [row['name'] as string, row['type'] as string])))
  }
}

/**
 * Passes sets of rows as arrays that are unnested, with constant SQL text. What is posted `together` shares texts
 * (postgres-together.ts).
 */
export function postgresSets(types: ColumnTypes): SetStatements {
  /** Transactions whose present unit posts its statements together, by their executor. */
  const together = new WeakSet<object>()
  const alike = new AlikeColumns()

  const run = (db: Db | Tx, part: Part, canShare = true) => {
    const query = constantQuery(part.text(1), part.values)
    return db.executeQuery(canShare && together.has(db.getExecutor()) ? shares(query, part) : query)
  }
  const change = async (db: Tx, asked: Asked): Promise<number> => {
    const { table, columns, rows } = asked
    const known = types.of(db, table)
    const typesOfTable = known instanceof Promise ? await known : known
    const typed = columns.map((column) => typesOfTable.get(column) ?? refuseColumn(table, column))
    const set = together.has(db.getExecutor())
      ? alike.columnsOf(`${asked.verb} ${table} ${asked.stored} ${columns.join()}`, typed, asked.stored, rows)
      : eachColumn(typed, rows)
    const part = { table, reads: [], text: (first: number) => asked.text(set, first), values: set.values }
    return Number((await run(db, part)).numAffectedRows ?? 0n)
  }
  return {
    learnTables: (db) => types.learn(db),
    async together(db, unit) {
      const executor = db.getExecutor()
      if (together.has(executor)) return unit()
      together.add(executor)
      try {
        return await unit()
      } finally {
        together.delete(executor)
      }
    },
    insertRows: (db, table, columns, rows, onConflict) =>
      change(db, insertion(table, columns, rows, onConflict === 'ignore' ? ' on conflict do nothing' : '')),
    updateRows: (db, table, columns, key, rows) =>
      change(db, update(table, columns, key, lastOfEachKey(rows, columns.length))),
    deleteRows: (db, table, key, rows) => change(db, deletion(table, key, rows)),
    adjustRows: (db, table, key, amounts, rows) =>
      change(db, {
        ...update(
          table,
          amounts,
          key,
          oneForEachKey(rows, (i) => i >= amounts.length, sum),
          plus,
        ),
        verb: 'adjust',
      }),
    addToRows: (db, ...asked) => change(db, addition(...asked)),
    async selectEach(db, statement, inputs) {
      const part = selection(statement, inputs)
      if (statement.varies !== true) return (await run(db, part, statement.few === true)).rows
      return (await db.executeQuery<Row>(CompiledQuery.raw(part.text(1), [...part.values]))).rows
    },
  }
}

/** A statement that changes a table. */
interface Asked {
  verb: 'insert' | 'update' | 'delete' | 'adjust' | 'add'
  table: string
  /** Those of the rows; a column can be set and be part of the key. */
  columns: readonly string[]
  /** How many of them are stored: those of the key, which come behind, find the rows that change. */
  stored: number
  rows: readonly Value[][]
  text(set: Columns, first: number): string
}

const refuseColumn = (table: string, column: string): never => {
  throw new Error(`${table} has no column ${column}`)
}

/** Key columns come behind `others` columns. */
const lastOfEachKey = (rows: readonly Value[][], others: number): readonly Value[][] =>
  oneForEachKey(rows, (i) => i >= others, last)

const quoted = (name: string): string => `"${name}"`
const plus = (column: string, amount: string): string => `t.${quoted(column)} + ${amount}`

const insertion = (
  table: string,
  columns: readonly string[],
  rows: readonly Value[][],
  conflict: string,
): Asked => ({
  verb: 'insert',
  table,
  columns,
  stored: columns.length,
  rows,
  text: (set, first) =>
    `insert into ${table} as t (${columns.map(quoted).join(', ')})
     select ${columns.map((_, i) => set.at(i, first)).join(', ')} from ${set.from(first)}${conflict}`,
})

/** Key columns come behind `others` columns. */
const matches = (set: Columns, first: number, key: readonly string[], others = 0): string =>
  key.map((column, i) => `t.${quoted(column)} = ${set.at(others + i, first)}`).join(' and ')

const update = (
  table: string,
  columns: readonly string[],
  key: readonly string[],
  rows: readonly Value[][],
  become = (_: string, value: string): string => value,
): Asked => ({
  verb: 'update',
  table,
  columns: [...columns, ...key],
  stored: columns.length,
  rows,
  text: (set, first) =>
    `update ${table} t set ${columns.map((column, i) => `${quoted(column)} = ${become(column, set.at(i, first))}`).join(', ')}
     from ${set.from(first)} where ${matches(set, first, key, columns.length)}`,
})

const deletion = (table: string, key: readonly string[], rows: readonly Value[][]): Asked => ({
  verb: 'delete',
  table,
  columns: key,
  stored: 0,
  rows: oneForEachKey(rows, () => true, last),
  text: (set, first) => `delete from ${table} t using ${set.from(first)} where ${matches(set, first, key)}`,
})

function addition(
  table: string,
  key: readonly string[],
  amounts: readonly string[],
  lowest: readonly string[],
  rows: readonly Value[][],
): Asked {
  const become = (column: string, value: (a: string, b: string) => string): string =>
    `${quoted(column)} = ${value(`t.${quoted(column)}`, `excluded.${quoted(column)}`)}`
  const sums = amounts.map((column) => become(column, (a, b) => `${a} + ${b}`))
  const minima = lowest.map((column) => become(column, (a, b) => `least(${a}, ${b})`))
  const conflict = `
     on conflict (${key.map(quoted).join(', ')}) do update set ${[...sums, ...minima].join(', ')}`
  const summed = oneForEachKey(
    rows,
    (i) => i < key.length,
    (a, b, i) => (i < key.length + amounts.length ? sum(a, b) : least(a, b)),
  )
  return { ...insertion(table, [...key, ...amounts, ...lowest], summed, conflict), verb: 'add' }
}

/**
 * Runs a SELECT once per set of inputs. The inputs are the outer side of a lateral join, which preserves
 * their order and, with it, the order of the rows of each.
 */
function selection(statement: SelectEach, inputs: readonly Value[][]): Part {
  const columns = columnArrays(statement.inputs.length, inputs)
  const types = columns.map((values, i) => inputType(statement, i, values))
  const select = linesFor('postgres', statement.sql).replace(
    /(?<!:):([a-z_]+)/g,
    (_, name: string) => `input.${quoted(name)}`,
  )
  const inputNames = statement.inputs.map(quoted).join(', ')
  const order = /\border by\b/i.test(select) ? '' : 'order by input.ordinality'
  return {
    table: null,
    reads: statement.few === true ? tablesOf(statement.sql) : [],
    text: (
      first,
    ) => `select found.* from unnest(${types.map((type, i) => `$${first + i}::${type}[]`).join(', ')}) with ordinality as input(${inputNames}, ordinality)
    cross join lateral (${select}) found ${order}`,
    values: columns,
  }
}

const tables = new Map<string, readonly string[]>()

/** Returns the tables that a SELECT names after `from` and `join`, with those of its subqueries. Only constant texts are asked for. */
function tablesOf(sql: string): readonly string[] {
  const known = tables.get(sql)
  if (known !== undefined) return known
  const named = [...sql.matchAll(/\b(?:from|join)\s+([a-z_]+)/gi)].map(([, name = '']) => name)
  tables.set(sql, named)
  return named
}

/** An input that is null in every set needs its type from the statement (`numbers`). */
function inputType({ inputs, numbers = [] }: SelectEach, index: number, values: readonly Value[]): string {
  if (numbers.includes(inputs[index] as string)) return 'bigint'
  return values.some((value) => typeof value === 'number') ? 'bigint' : 'text'
}
