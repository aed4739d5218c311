import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx, Value } from '../seam/dialect.ts'

/** Tables of queued messages, with the key that orders their pages. */
const keys = {
  queue: ['route_key', 'account_id', 'priority', 'due_at', 'message_id'],
  deferred: ['account_id', 'mode', 'message_id'],
  attempts: ['account_id', 'mode', 'message_id', 'number'],
} as const
type Table = keyof typeof keys
const tables = ['queue', 'deferred', 'attempts'] as const

/** Of attempts only the open ones wait for anything. */
const waits = (name: Table): RawBuilder<unknown> => (name === 'attempts' ? sql`ended_at is null` : sql`true`)

const keyOf = (name: Table): RawBuilder<unknown> => sql.join(keys[name].map((column) => sql.ref(column)))

/** Maximum rows changed by one statement: PostgreSQL cancels statements that take 10 s. */
const maxRows = 20_000

/** Holds all scheduled and queued messages. Returns their number. */
export async function holdAll(tx: Tx): Promise<number> {
  let held = 0
  for await (const { table, range } of pagesOf(tx)) {
    const { numAffectedRows } = await sql`update ${table} set restore_hold = 1 where ${range}`.execute(tx)
    held += Number(numAffectedRows ?? 0)
  }
  await disarmFollowers(tx)
  return held
}

/** What was followed after the backup would be followed a second time. */
async function disarmFollowers(tx: Tx): Promise<void> {
  for (let changed = maxRows; changed === maxRows;) {
    const { numAffectedRows } = await sql`
      update followers set state = 'none', reason = 'restored' where (account_id, mode, message_id) in (
        select account_id, mode, message_id from followers where state = 'armed' or state = 'due' limit ${maxRows})`.execute(
      tx,
    )
    changed = Number(numAffectedRows ?? 0)
  }
}

/**
 * Releases a page of held messages and returns their number; 0 if none are held any more. Messages that were
 * released or became final between two calls are skipped.
 */
export async function releasePage(tx: Tx, most = maxRows): Promise<number> {
  for (const name of tables) {
    const table = sql.table(name)
    if ((await heldAt(tx, name, 0)) === null) continue
    const key = keyOf(name)
    const page = heldPage(name, await heldAt(tx, name, most - 1), most)
    // While they were held the expirer skipped them; it computes the exact time at its next sweep.
    if (name === 'queue')
      await sql`
        update queue_totals set next_expiry_at = 0 where (account_id, mode, route_key) in
          (select account_id, mode, route_key from ${page(sql`account_id, mode, route_key`)} as page)`.execute(
        tx,
      )
    const { numAffectedRows } = await sql`
      update ${table} set restore_hold = 0 where (${key}) in (select ${key} from ${page(key)} as page)`.execute(
      tx,
    )
    return Number(numAffectedRows ?? 0)
  }
  return 0
}

/** Returns whether a restore holds any message. */
export async function holdsAnything(db: Db): Promise<boolean> {
  for (const name of tables) if ((await heldAt(db, name, 0)) !== null) return true
  return false
}

/**
 * Builds the query for columns of the first held rows of a table, up to the row `last`, or of all: fewer if
 * some became final since. The limit shows the planner of PostgreSQL how few rows these are; with the range
 * only, it reads the whole table.
 */
const heldPage =
  (name: Table, last: readonly Value[] | null, most: number) =>
  (columns: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`(select ${columns} from ${sql.table(name)} where restore_hold = 1 and ${waits(name)}
      and ${last === null ? sql`true` : sql`(${keyOf(name)}) <= (${sql.join(last)})`} order by ${keyOf(name)} limit ${most})`

/** Returns the key of the held row at this position, in key order; null if there are fewer. */
async function heldAt(db: Db | Tx, name: Table, place: number): Promise<Value[] | null> {
  const key = keyOf(name)
  const { rows } = await sql<Record<string, Value>>`
    select ${key} from ${sql.table(name)} where restore_hold = 1 and ${waits(name)} order by ${key} limit 1 offset ${place}`.execute(
    db,
  )
  const [row] = rows
  return row === undefined ? null : keys[name].map((column) => row[column] as Value)
}

interface Page {
  table: RawBuilder<unknown>
  range: RawBuilder<unknown>
}

/** Yields all scheduled and queued messages, in ranges that one statement can change as a whole. */
async function* pagesOf(tx: Tx): AsyncGenerator<Page> {
  for (const name of tables) {
    let after: Value[] | null = null
    do {
      const found: { page: Page; end: Value[] | null } = await pageAfter(tx, name, after)
      yield found.page
      after = found.end
    } while (after !== null)
  }
}

/**
 * Returns the rows after a key, or from the first one on, and the key of the last of them; null if these are
 * all.
 */
async function pageAfter(
  tx: Tx,
  name: Table,
  after: readonly Value[] | null,
): Promise<{ page: Page; end: Value[] | null }> {
  const table = sql.table(name)
  const key = keyOf(name)
  const rest = after === null ? waits(name) : sql`${waits(name)} and (${key}) > (${sql.join(after)})`
  const { rows } = await sql<Record<string, Value>>`
    select ${key} from ${table} where ${rest} order by ${key} limit 1 offset ${maxRows - 1}`.execute(tx)
  const [last] = rows
  if (last === undefined) return { page: { table, range: rest }, end: null }
  const end = keys[name].map((column) => last[column] as Value)
  return { page: { table, range: sql`${rest} and (${key}) <= (${sql.join(end)})` }, end }
}
