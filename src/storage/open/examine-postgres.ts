import { Kysely, sql } from 'kysely'
import type { Db } from '../seam/dialect.ts'
import { postgresDialect } from '../postgres/postgres-dialect.ts'
import { createPostgresPool, type PostgresSettings, withClient } from '../postgres/postgres-client.ts'
import { refuseUnsafeServer } from '../postgres/postgres-safety.ts'
import type { Database } from '../tables/schema.ts'

/** A database on a server by itself: nothing is created, migrated or served. For `doctor`. */
export interface ServerDatabase {
  db: Db
  /** Throws what of the server's settings breaks a promise. */
  refuseUnsafe(): Promise<void>
  close(): Promise<void>
}

/** Adding up millions of messages takes its time; more than this is a server that stands still. */
const examinationTimeoutMs = 3_600_000

/** Opens it for reading, over one connection. Fails at the first statement when nobody answers. */
export function openServerDatabase(settings: PostgresSettings): ServerDatabase {
  const pool = createPostgresPool({ ...settings, statementTimeoutMs: examinationTimeoutMs }, 1)
  const db = new Kysely<Database>({ dialect: postgresDialect(pool) })
  return { db, refuseUnsafe: () => withClient(pool, refuseUnsafeServer), close: () => db.destroy() }
}

export interface ServerFacts {
  version: string
  database: string
  bytes: number
  /** It follows another server and takes no writes. */
  isStandby: number
}

/** What a PostgreSQL server says of itself and of the database. */
export async function readServerFacts(db: Db): Promise<ServerFacts> {
  const { rows } = await sql<ServerFacts>`
    select current_setting('server_version') as version, current_database() as database,
      pg_database_size(current_database()) as bytes, pg_is_in_recovery() as "isStandby"`.execute(db)
  return rows[0] as ServerFacts
}

/** How many connections the server has for everybody but its superusers, and how many of them are taken. */
export async function countConnections(db: Db): Promise<{ most: number; taken: number }> {
  const { rows } = await sql<{ most: number; taken: number }>`
    select current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint as most,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as taken`.execute(db)
  return rows[0] as { most: number; taken: number }
}

/** For how many seconds the oldest transaction of this database has been open, ours apart; 0 when there is none. */
export async function longestTransaction(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::bigint as seconds
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`.execute(
    db,
  )
  return rows[0]?.seconds ?? 0
}

/** How many transactions old the oldest row of this database may be: at two thousand million the server stops writing. */
export async function transactionAge(db: Db): Promise<number> {
  const { rows } = await sql<{
    age: number
  }>`select age(datfrozenxid)::bigint as age from pg_database where datname = current_database()`.execute(db)
  return rows[0]?.age ?? 0
}

export interface Follower {
  name: string
  /** How much of the log it has not applied yet, or the server keeps for it; null when this role may not know. */
  lagBytes: number | null
  /** It is connected. */
  isThere: number
}

/** The servers that follow this one, and those that the server keeps its log for though they are away. */
export async function readFollowers(db: Db): Promise<Follower[]> {
  const { rows } = await sql<Follower>`
    select coalesce(nullif(application_name, ''), 'a standby') as name,
      pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) as "lagBytes", true as "isThere" from pg_stat_replication
    union all
    select slot_name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), false from pg_replication_slots where not active
    order by name`.execute(db)
  return rows
}

/** Whether the server notices pages that its disk has changed. */
export async function hasChecksums(db: Db): Promise<boolean> {
  const { rows } = await sql<{
    setting: string
  }>`select current_setting('data_checksums') as setting`.execute(db)
  return rows[0]?.setting === 'on'
}

/** Reads every row of every table, so that a torn page is found; with `amcheck` every index too. Gives whether it is there. Throws what it finds. */
export async function readEverything(db: Db): Promise<boolean> {
  const { rows: tables } = await sql<{ name: string }>`
    select oid::regclass::text as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace order by 1`.execute(db)
  for (const { name } of tables)
    await sql`select count(row_text) from (select t::text as row_text from ${sql.raw(name)} t) every`.execute(
      db,
    )
  const { rows: extension } = await sql`select 1 from pg_extension where extname = 'amcheck'`.execute(db)
  if (extension.length === 0) return false
  await sql`select bt_index_check(i.indexrelid, true) from pg_index i join pg_class c on c.oid = i.indexrelid
    join pg_am a on a.oid = c.relam where a.amname = 'btree' and c.relkind = 'i' and c.relnamespace = current_schema()::regnamespace`.execute(
    db,
  )
  return true
}
