import type { KyselyPlugin, RootOperationNode } from 'kysely'
import { everyMessage, type HistoryQuery } from '../src/messages/history/history-query.ts'
import { readHistory } from '../src/messages/history/history.ts'
import { connectLocally } from '../src/storage/sqlite/local-connection.ts'
import type { LargeDatabase } from './large-database.ts'
import { median } from './figure.ts'
import { databaseOf } from './server-process.ts'

/** Rows that the statements of a page gave, by the table that they read. */
export type RowsRead = Readonly<Record<string, number>>

/** As many as the interface gives where no limit is asked for. */
const limit = 25
const pages = 100

/** Reads pages as the server does, without it. Gives the median of the rows that each of their statements gave: the plans, which tests hold, read no others. */
export async function countRowsRead(
  database: LargeDatabase,
  queryOf: () => Partial<HistoryQuery>,
): Promise<RowsRead> {
  const counter = new RowCounter()
  const file = databaseOf(database.folder)
  const { db, close } = connectLocally({ file, readOnly: true, busyTimeoutMs: 5_000, cacheKiB: 65_536 })
  const read: Record<string, number>[] = []
  const owner = { accountId: database.accountId, mode: 'live' } as const
  for (let i = 0; i < pages; i++) {
    const query = { ...everyMessage, ...queryOf() }
    await readHistory(db.withPlugin(counter), { owner, query, position: null, limit })
    read.push(counter.take())
  }
  await close()
  const tables = [...new Set(read.flatMap(Object.keys))]
  return Object.fromEntries(tables.map((table) => [table, median(read.map((page) => page[table] ?? 0))]))
}

/** Adds up the rows of each result by the table of its statement. */
class RowCounter implements KyselyPlugin {
  readonly #tables = new WeakMap<object, string>()
  #rows: Record<string, number> = {}

  transformQuery({ node, queryId }: Parameters<KyselyPlugin['transformQuery']>[0]): RootOperationNode {
    this.#tables.set(queryId, tableOf(node))
    return node
  }

  async transformResult({ queryId, result }: Parameters<KyselyPlugin['transformResult']>[0]) {
    const table = this.#tables.get(queryId) ?? 'others'
    this.#rows[table] = (this.#rows[table] ?? 0) + result.rows.length
    return result
  }

  take(): Record<string, number> {
    const rows = this.#rows
    this.#rows = {}
    return rows
  }
}

function tableOf(node: RootOperationNode): string {
  if (node.kind === 'RawNode') return /\bfrom (\w+)/.exec(node.sqlFragments.join('?'))?.[1] ?? 'others'
  const from = node.kind === 'SelectQueryNode' ? node.from?.froms[0] : undefined
  return from?.kind === 'TableNode' && 'table' in from
    ? (from.table as { identifier: { name: string } }).identifier.name
    : 'others'
}

/** Says them in a clause. */
export const rowsReadOf = (rows: RowsRead): string =>
  Object.entries(rows)
    .map(([table, count]) => `${count} of ${table}`)
    .join(', ')
