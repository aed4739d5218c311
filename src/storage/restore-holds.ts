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
export async function holdAll(tx: Tx): Promise<number> {
  let held = 0
  for await (const { table, range } of pagesOf(tx)) {
    const { numAffectedRows } = await sql`update ${table} set restore_hold = 1 where ${range}`.execute(tx)
    held += Number(numAffectedRows ?? 0)
  }
  return held
}

/**
 * Releases what is held of one page of what waits. Gives how many messages, and where the next page begins; null behind the last one. Messages that come
 * to wait meanwhile are not held.
 */
export async function releasePage(
  tx: Tx,
  from: PageStart,
): Promise<{ released: number; next: PageStart | null }> {
  const { page, next } = await pageFrom(tx, from)
  const { numAffectedRows } = await sql`
    update ${page.table} set restore_hold = 0 where ${page.range} and restore_hold = 1`.execute(tx)
  return { released: Number(numAffectedRows ?? 0), next }
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

/** Behind a key of a table, or at its beginning. */
export interface PageStart {
  name: keyof typeof keys
  behind: readonly Value[] | null
}

export const firstPage: PageStart = { name: 'queue', behind: null }

/** All that waits, in pieces that a statement may touch whole. */
async function* pagesOf(db: Db | Tx): AsyncGenerator<Page> {
  for (let from: PageStart | null = firstPage; from !== null;) {
    const found: { page: Page; next: PageStart | null } = await pageFrom(db, from)
    yield found.page
    from = found.next
  }
}

async function pageFrom(
  db: Db | Tx,
  { name, behind }: PageStart,
): Promise<{ page: Page; next: PageStart | null }> {
  const table = sql.table(name)
  const key = sql.join(keys[name].map((column) => sql.ref(column)))
  const rest = behind === null ? sql`true` : sql`(${key}) > (${sql.join(behind)})`
  const { rows } = await sql<Record<string, Value>>`
    select ${key} from ${table} where ${rest} order by ${key} limit 1 offset ${rowsAtOnce - 1}`.execute(db)
  const [last] = rows
  if (last === undefined)
    return { page: { table, range: rest }, next: name === 'queue' ? { name: 'deferred', behind: null } : null }
  const end = keys[name].map((column) => last[column] as Value)
  return { page: { table, range: sql`${rest} and (${key}) <= (${sql.join(end)})` }, next: { name, behind: end } }
} // prettier-ignore
