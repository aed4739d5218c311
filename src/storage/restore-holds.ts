import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx, Value } from './dialect.ts'

/** Where messages wait, with the key by which pages of them follow one another. */
const keys = {
  queue: ['route_key', 'account_id', 'priority', 'due_at', 'message_id'],
  deferred: ['account_id', 'mode', 'message_id'],
} as const

/** One statement changes no more rows, however many wait: PostgreSQL ends those that take 10 s. */
const rowsAtOnce = 20_000

/** Holds all that waits; gives how many messages. */
export const holdAll = (tx: Tx): Promise<number> =>
  onPages(tx, ({ table, range }) => sql`update ${table} set restore_hold = 1 where ${range}`)

/** Releases all that is held; gives how many messages. */
export const releaseAll = (tx: Tx): Promise<number> =>
  onPages(
    tx,
    ({ table, range }) => sql`update ${table} set restore_hold = 0 where ${range} and restore_hold = 1`,
  )

async function onPages(tx: Tx, change: (page: Page) => RawBuilder<unknown>): Promise<number> {
  let changed = 0
  for await (const page of pagesOf(tx))
    changed += Number((await change(page).execute(tx)).numAffectedRows ?? 0)
  return changed
}

/** Whether a restore holds anything. Reads all that waits when it holds nothing, page by page: others come in between. */
export async function holdsAnything(db: Db): Promise<boolean> {
  for await (const page of pagesOf(db)) {
    const { rows } =
      await sql`select 1 from ${page.table} where ${page.range} and restore_hold = 1 limit 1`.execute(db)
    if (rows.length > 0) return true
  }
  return false
} // prettier-ignore

interface Page {
  table: RawBuilder<unknown>
  range: RawBuilder<unknown>
}

/** All that waits, in pieces that a statement may touch whole. */
async function* pagesOf(db: Db | Tx): AsyncGenerator<Page> {
  for (const [name, columns] of Object.entries(keys)) {
    const table = sql.table(name)
    const key = sql.join(columns.map((column) => sql.ref(column)))
    let behind = sql`true`
    for (;;) {
      const { rows } = await sql<Record<string, Value>>`
        select ${key} from ${table} where ${behind} order by ${key} limit 1 offset ${rowsAtOnce - 1}`.execute(db)
      const [last] = rows
      if (last === undefined) break
      const end = sql.join(columns.map((column) => last[column]))
      yield { table, range: sql`${behind} and (${key}) <= (${end})` }
      behind = sql`(${key}) > (${end})`
    }
    yield { table, range: behind }
  }
} // prettier-ignore
