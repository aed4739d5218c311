import { Client } from 'pg'

/** The bytes of a table or an index. */
export interface RelationSize {
  name: string
  bytes: number
}

/** What a database takes at one moment. */
export interface DatabaseSize {
  relations: readonly RelationSize[]
  databaseBytes: number
  /** Bytes of write-ahead log since the server was made. */
  logBytes: number
}

/** Reads the sizes of one database, with the system's tables in `databaseBytes` alone. */
export interface SizeReader {
  read(): Promise<DatabaseSize>
  /** Vacuums all, and gives what is left that counts: rows, and the used share of the pages of indexes. */
  readLive(): Promise<RelationSize[]>
  close(): Promise<void>
}

/** A table has its out-of-line texts and maps with it. */
const sizes = `select c.relname as name, case c.relkind when 'r' then pg_table_size(c.oid) else pg_relation_size(c.oid) end as bytes
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i')`
const wholeDatabase = `select pg_database_size(current_database()) as database, pg_current_wal_insert_lsn() - '0/0' as log`
const liveTables = `select c.relname as name, s.tuple_len as bytes from pg_class c cross join lateral pgstattuple(c.oid) s
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`
const liveIndexes = `select c.relname as name, coalesce(nullif(s.avg_leaf_density, 'NaN'), 0) / 100 * s.leaf_pages * 8192 as bytes
  from pg_class c cross join lateral pgstatindex(c.oid) s
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'i'`

export async function openSizeReader(connectionString: string): Promise<SizeReader> {
  const client = new Client({ connectionString })
  await client.connect()
  const relations = async (select: string): Promise<RelationSize[]> => {
    const { rows } = await client.query<{ name: string; bytes: string }>(select)
    return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }))
  }
  return {
    async read() {
      const { rows } = await client.query<{ database: string; log: string }>(wholeDatabase)
      const [{ database, log } = { database: '', log: '' }] = rows
      return {
        relations: await relations(sizes),
        databaseBytes: Number(database),
        logBytes: Number(log),
      }
    },
    async readLive() {
      await client.query('create extension if not exists pgstattuple')
      await client.query('vacuum')
      return [...(await relations(liveTables)), ...(await relations(liveIndexes))]
    },
    close: () => client.end(),
  }
}

/** Below this a relation is not worth its place in a line. */
const leastBytes = 5

/** Says by table and index what each of `messages` messages added from one moment to another. */
export function sayGrowth(
  from: readonly RelationSize[],
  to: readonly RelationSize[],
  messages: number,
): string {
  const before = new Map(from.map(({ name, bytes }) => [name, bytes]))
  return sayEach(
    to.map(({ name, bytes }) => ({ name, bytes: bytes - (before.get(name) ?? 0) })),
    messages,
  )
}

/** Says by table and index what there is of each of `messages` messages. */
export const sayEach = (relations: readonly RelationSize[], messages: number): string =>
  relations
    .map(({ name, bytes }) => ({ name, each: Math.round(bytes / messages) }))
    .filter(({ each }) => Math.abs(each) >= leastBytes)
    .toSorted((a, b) => b.each - a.each)
    .map(({ name, each }) => `${name} ${each}`)
    .join(', ')
