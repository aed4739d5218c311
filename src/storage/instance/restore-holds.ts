import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx, Value } from '../seam/dialect.ts'

/** Where messages wait, with the key by which pages of them follow one another. */
const keys = {
  queue: ['route_key', 'account_id', 'priority', 'due_at', 'message_id'],
  deferred: ['account_id', 'mode', 'message_id'],
} as const
type Table = keyof typeof keys
const tables = ['queue', 'deferred'] as const

const keyOf = (name: Table): RawBuilder<unknown> => sql.join(keys[name].map((column) => sql.ref(column)))

/** One statement changes no more rows, however many wait: PostgreSQL ends those that take 10 s. */
const rowsAtOnce = 20_000

/** Holds all that waits; gives how many messages. */
export async function holdAll(tx: Tx): Promise<number> {
  let held = 0
  for await (const { table, range } of pagesOf(tx)) {
    const { numAffectedRows } = await sql`update ${table} set restore_hold = 1 where ${range}`.execute(tx)
    held += Number(numAffectedRows ?? 0)
  }
  return held
}

/**
 * Releases a page of what is held and gives how many messages that were; 0 when nothing is held any more. Whatever was released between two
 * calls, or ended, the next one goes on with what is left.
 */
export async function releasePage(tx: Tx, most = rowsAtOnce): Promise<number> {
  for (const name of tables) {
    const table = sql.table(name)
    if ((await heldAt(tx, name, 0)) === null) continue
    const key = keyOf(name)
    const page = heldPage(name, await heldAt(tx, name, most - 1), most)
    // While they were held the expirer looked past them; it works out the true instant at its next sweep.
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

/** Whether a restore holds anything. */
export async function holdsAnything(db: Db): Promise<boolean> {
  for (const name of tables) if ((await heldAt(db, name, 0)) !== null) return true
  return false
}

/**
 * What gives some columns of the first rows of a table that are held, up to the last of them, or of all that are: fewer when some have ended since.
 * That it is bounded by a count tells the planner of PostgreSQL how little that is: the bounds of a range alone let it read the whole table.
 */
const heldPage =
  (name: Table, last: readonly Value[] | null, most: number) =>
  (columns: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`(select ${columns} from ${sql.table(name)} where restore_hold = 1
      and ${last === null ? sql`true` : sql`(${keyOf(name)}) <= (${sql.join(last)})`} order by ${keyOf(name)} limit ${most})`

/** The key of what is held in a place, in the order of keys; null when less is. */
async function heldAt(db: Db | Tx, name: Table, place: number): Promise<Value[] | null> {
  const key = keyOf(name)
  const { rows } = await sql<Record<string, Value>>`
    select ${key} from ${sql.table(name)} where restore_hold = 1 order by ${key} limit 1 offset ${place}`.execute(
    db,
  )
  const [row] = rows
  return row === undefined ? null : keys[name].map((column) => row[column] as Value)
}

interface Page {
  table: RawBuilder<unknown>
  range: RawBuilder<unknown>
}

/** All that waits, in pieces that a statement may touch whole. */
async function* pagesOf(tx: Tx): AsyncGenerator<Page> {
  for (const name of tables) {
    let behind: Value[] | null = null
    do {
      const found: { page: Page; end: Value[] | null } = await pageBehind(tx, name, behind)
      yield found.page
      behind = found.end
    } while (behind !== null)
  }
}

/** The rows behind a key, or from the first one on, and the key of the last of them; null when these are all. */
async function pageBehind(
  tx: Tx,
  name: Table,
  behind: readonly Value[] | null,
): Promise<{ page: Page; end: Value[] | null }> {
  const table = sql.table(name)
  const key = keyOf(name)
  const rest = behind === null ? sql`true` : sql`(${key}) > (${sql.join(behind)})`
  const { rows } = await sql<Record<string, Value>>`
    select ${key} from ${table} where ${rest} order by ${key} limit 1 offset ${rowsAtOnce - 1}`.execute(tx)
  const [last] = rows
  if (last === undefined) return { page: { table, range: rest }, end: null }
  const end = keys[name].map((column) => last[column] as Value)
  return { page: { table, range: sql`${rest} and (${key}) <= (${sql.join(end)})` }, end }
}
