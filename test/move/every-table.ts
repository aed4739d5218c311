import type { DatabaseSync } from 'node:sqlite'
import type { TableShape } from '../../src/storage/move/table-shapes.ts'

type Cell = string | number | null

/** What no text of a real message needs at once: everything that a format could take for its own. */
const nasty = 'a\tb\nc\rd\\N \\. "x" \'y\' {1,2} é 漢 😀 \u0001\u000b'

interface Rule {
  references: ReadonlyMap<string, { table: string; column: string }>
  /** The first word of each closed list. */
  words: ReadonlyMap<string, string>
  hashes: ReadonlySet<string>
  nullable: ReadonlySet<string>
}

/** Where rules span columns. The first row has a value in every column that may have one, the second in none. */
const cells: Readonly<Record<string, readonly [Cell, Cell]>> = {
  'accounts.quiet_until': [2, null],
  'messages.status': ['delivered', 'queued'],
  'messages.cost_state': ['charged', 'held'],
  'messages.charged': [1, 0],
  'attempts.state': ['accepted', 'handing_over'],
  'wallets.granted': [9, 9],
  'device_states.until_at': [1_900_000_000_000, null],
  'one_time_links.purpose': ['reset', 'invitation'],
  'one_time_links.account_id': [null, 'accounts.id 1'],
  'one_time_links.role': [null, 'member'],
  'one_time_links.user_id': ['users.id 0', null],
  'one_time_links.revoked_at': [null, null],
  'email_links.revoked_at': [null, null],
  'email_links.expires_at': [1_900_000_000_000, 1_900_000_000_000],
  'webhook_endpoints.state': ['disabled', 'enabled'],
  'webhook_events.facts': [null, '{}'],
  'webhook_attempts.failure': [null, 'timed_out'],
  'one_time_links.expires_at': [1_900_000_000_000, 1_900_000_000_000],
}

/** Puts two rows into every table (one into `instance`, which has no room for more), made from what the schema says of it. */
export function fillEveryTable(database: DatabaseSync, shapes: readonly TableShape[]): void {
  for (const shape of shapes) {
    const rule = ruleOf(database, shape.name)
    const columns = shape.columns.map(({ name }) => name)
    const insert = database.prepare(
      `insert or ignore into "${shape.name}" (${columns.map((name) => `"${name}"`).join(', ')}) values (${columns.map(() => '?').join(', ')})`,
    )
    for (const row of shape.name === 'instance' ? [0] : [0, 1])
      insert.run(...shape.columns.map((column) => cellOf(shape, rule, column, row)))
  }
}

function ruleOf(database: DatabaseSync, table: string): Rule {
  const { sql } = database.prepare('select sql from sqlite_master where name = ?').get(table) as {
    sql: string
  }
  const references = database
    .prepare(`select "from", "table", "to" from pragma_foreign_key_list('${table}')`)
    .all() as { from: string; table: string; to: string }[]
  const columns = database
    .prepare(`select name, "notnull" as needed, pk from pragma_table_info('${table}')`)
    .all() as { name: string; needed: number; pk: number }[]
  return {
    references: new Map(
      references.map(({ from, table: target, to }) => [from, { table: target, column: to }]),
    ),
    words: new Map(
      [...sql.matchAll(/(\w+) = '([^']+)'/g)].toReversed().map(([, name = '', word = '']) => [name, word]),
    ),
    hashes: new Set([...sql.matchAll(/length\((\w+)\) = 64/g)].map(([, name = '']) => name)),
    nullable: new Set(columns.filter(({ needed, pk }) => needed === 0 && pk === 0).map(({ name }) => name)),
  }
}

function cellOf(
  { name: table, key }: TableShape,
  rule: Rule,
  { name, holds }: TableShape['columns'][number],
  row: number,
): Cell {
  const stated = cells[`${table}.${name}`]?.[row]
  if (stated !== undefined) return stated
  if (row === 1 && rule.nullable.has(name)) return null
  const referred = rule.references.get(name)
  if (referred !== undefined && referred.column !== 'mode')
    return `${referred.column === 'account_id' ? 'accounts.id' : idOf(referred)} ${row}`
  const word = name === 'mode' ? 'live' : rule.words.get(name)
  if (word !== undefined) return word
  if (rule.hashes.has(name)) return `${table}${row}`.padEnd(64, 'f')
  if (holds === 'text')
    return key.includes(name) || name === 'email' ? `${table}.${name} ${row}` : `${nasty} ${row}`
  if (key.includes(name)) return row + 1
  return /_at$|until$/.test(name) ? 1_800_000_000_000 + row : 1
}

/** A user of the console has the id of the user that it signs in. */
const idOf = ({ table, column }: { table: string; column: string }): string =>
  table === 'auth_users' ? 'users.id' : `${table}.${column}`
