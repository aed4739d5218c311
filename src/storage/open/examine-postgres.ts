import { Kysely, sql } from 'kysely'
import type { Db } from '../seam/dialect.ts'
import { postgresDialect } from '../postgres/postgres-dialect.ts'
import { createPostgresPool, type PostgresSettings, withClient } from '../postgres/postgres-client.ts'
import { refuseUnsafeServer } from '../postgres/postgres-safety.ts'
import type { Database } from '../tables/schema.ts'

/** A database on a server, read-only: nothing is created, migrated or served. For `doctor`. */
export interface ServerDatabase {
  db: Db
  /** Throws if a setting of the server breaks a promise. */
  refuseUnsafe(): Promise<void>
  close(): Promise<void>
}

/** Summing millions of messages takes time; a server that needs longer than this hangs. */
const examinationTimeoutMs = 3_600_000

/** Opens the database for reading, over one connection. If no server responds, the first statement fails. */
export function openServerDatabase(settings: PostgresSettings): ServerDatabase {
  const pool = createPostgresPool({ ...settings, statementTimeoutMs: examinationTimeoutMs }, 1)
  const db = new Kysely<Database>({ dialect: postgresDialect(pool) })
  return { db, refuseUnsafe: () => withClient(pool, refuseUnsafeServer), close: () => db.destroy() }
}

export interface ServerFacts {
  version: string
  database: string
  bytes: number
  /** 1 if it replicates another server and accepts no writes. */
  isStandby: number
}

/** Reads the facts of a PostgreSQL server and of the database. */
export async function readServerFacts(db: Db): Promise<ServerFacts> {
  const { rows } = await sql<ServerFacts>`
    select current_setting('server_version') as version, current_database() as database,
      pg_database_size(current_database()) as bytes, pg_is_in_recovery() as "isStandby"`.execute(db)
  return rows[0] as ServerFacts
}

/** Returns the number of connections for users other than superusers, and how many are in use. */
export async function countConnections(db: Db): Promise<{ most: number; taken: number }> {
  const { rows } = await sql<{ most: number; taken: number }>`
    select current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint as most,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as taken`.execute(db)
  return rows[0] as { most: number; taken: number }
}

/**
 * Returns the age in seconds of the oldest open transaction of this database, except for this one; 0 if there
 * is none.
 */
export async function longestTransaction(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::bigint as seconds
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`.execute(
    db,
  )
  return rows[0]?.seconds ?? 0
}

/**
 * Returns the age of the oldest row of this database in transactions: at two thousand million the server
 * stops writing.
 */
export async function transactionAge(db: Db): Promise<number> {
  const { rows } = await sql<{
    age: number
  }>`select age(datfrozenxid)::bigint as age from pg_database where datname = current_database()`.execute(db)
  return rows[0]?.age ?? 0
}

export interface Follower {
  name: string
  /**
   * Part of the log that it has not applied yet, or that the server keeps for it; null if this role cannot
   * see it.
   */
  lagBytes: number | null
  /** 1 if it is connected. */
  isThere: number
}

/** Returns the standbys of this server, and disconnected ones for which it keeps its log. */
export async function readFollowers(db: Db): Promise<Follower[]> {
  const { rows } = await sql<Follower>`
    select coalesce(nullif(application_name, ''), 'a standby') as name,
      pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) as "lagBytes", true as "isThere" from pg_stat_replication
    union all
    select slot_name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), false from pg_replication_slots where not active
    order by name`.execute(db)
  return rows
}

/** Returns whether the server detects pages that its disk has corrupted. */
export async function hasChecksums(db: Db): Promise<boolean> {
  const { rows } = await sql<{
    setting: string
  }>`select current_setting('data_checksums') as setting`.execute(db)
  return rows[0]?.setting === 'on'
}

/**
 * Reads every row of every table to find torn pages; with `amcheck` also every index. Returns whether
 * `amcheck` is installed. Throws what it finds.
 */
export async function readEverything(db: Db): Promise<boolean> {
  const { rows: tables } = await sql<{ name: string }>`
    select oid::regclass::text as name from pg_class
    where relkind = 'r' and relnamespace = quote_ident(current_schema())::regnamespace order by 1`.execute(db)
  for (const { name } of tables)
    await sql`select count(row_text) from (select t::text as row_text from ${sql.raw(name)} t) every`.execute(
      db,
    )
  const { rows: extension } = await sql`select 1 from pg_extension where extname = 'amcheck'`.execute(db)
  if (extension.length === 0) return false
  await sql`select bt_index_check(i.indexrelid, true) from pg_index i join pg_class c on c.oid = i.indexrelid
    join pg_am a on a.oid = c.relam where a.amname = 'btree' and c.relkind = 'i' and c.relnamespace = quote_ident(current_schema())::regnamespace`.execute(
    db,
  )
  return true
}
