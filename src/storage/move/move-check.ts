import { sql } from 'kysely'
import type { Db, Tx } from '../seam/dialect.ts'
import type { TableShape } from './table-shapes.ts'

/** A difference between two databases. */
export interface Difference {
  /** A table with a column, or the name of a sum. */
  of: string
  source: unknown
  target: unknown
}

/** Sums by name, as shown at the end of a move. */
export type NamedSums = Readonly<Record<string, number>>

/**
 * Compares every table of two databases: the number of rows, and for each column the number of values and
 * their sum. Numbers are summed by their remainder, so that every sum stays exact; texts by their octets.
 * Then compares the named sums. Both databases compute them with the same statement.
 */
export async function compareDatabases(
  source: Db | Tx,
  target: Db,
  shapes: readonly TableShape[],
): Promise<{ differences: Difference[]; sums: NamedSums }> {
  const differences: Difference[] = []
  for (const shape of shapes) {
    const [there, here] = [await sumsOf(source, shape), await sumsOf(target, shape)]
    differences.push(...differencesOf(there, here, (column) => `${shape.name}.${column}`))
  }
  const [there, here] = [await readNamedSums(source), await readNamedSums(target)]
  differences.push(...differencesOf(there, here, (name) => name))
  return { differences, sums: there }
}

function differencesOf(
  source: Readonly<Record<string, unknown>>,
  target: Readonly<Record<string, unknown>>,
  nameOf: (key: string) => string,
): Difference[] {
  const keys = new Set([...Object.keys(source), ...Object.keys(target)])
  return [...keys].flatMap((key) =>
    (source[key] ?? null) === (target[key] ?? null)
      ? []
      : [{ of: nameOf(key), source: source[key] ?? null, target: target[key] ?? null }],
  )
}

/** Larger than most values, so that every number counts; a prime, so that no pattern of times cancels out. */
const modulus = 1_000_003

async function sumsOf(db: Db | Tx, { name, columns }: TableShape): Promise<Record<string, unknown>> {
  const each = columns.flatMap((column) => [
    `count("${column.name}") as "${column.name} (values)"`,
    column.holds === 'number'
      ? `sum("${column.name}" % ${modulus}) as "${column.name}"`
      : `sum(octet_length("${column.name}")) as "${column.name}"`,
  ])
  const { rows } = await sql<
    Record<string, unknown>
  >`${sql.raw(`select count(*) as "rows", ${each.join(', ')} from "${name}"`)}`.execute(db)
  return rows[0] ?? {}
}

/** Reads money, messages and traffic, over all accounts and modes. */
async function readNamedSums(db: Db | Tx): Promise<NamedSums> {
  const { rows } = await sql<{ name: string; amount: number }>`
    select 'granted' as name, coalesce(sum(granted), 0) as amount from wallets
    union all select 'reserved', coalesce(sum(reserved), 0) from wallets
    union all select 'used', coalesce(sum(used), 0) from wallets
    union all select 'own reserved', coalesce(sum(own_reserved), 0) from wallets
    union all select 'own used', coalesce(sum(own_used), 0) from wallets
    union all select 'ledger', coalesce(sum(sms), 0) from ledger_entries
    union all select 'parts ' || status, sum(parts) from messages group by status
    union all select 'messages ' || status, count(*) from messages group by status
    union all select 'traffic ' || grain || ' accepted', sum(accepted) from traffic group by grain
    union all select 'traffic ' || grain || ' sent', sum(sent) from traffic group by grain
    union all select 'traffic ' || grain || ' delivered', sum(delivered) from traffic group by grain
    union all select 'traffic ' || grain || ' archived', sum(archived) from traffic group by grain`.execute(
    db,
  )
  return Object.fromEntries(rows.map(({ name, amount }) => [name, amount]))
}
