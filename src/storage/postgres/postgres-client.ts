import pg from 'pg'
import { readAddress } from './postgres-address.ts'
import { asStorageError } from './postgres-faults.ts'

/** How the program connects to a PostgreSQL server. */
export interface PostgresSettings {
  /**
   * `postgres://…`. What is missing comes from the variables that every PostgreSQL client reads (PGPASSWORD,
   * PGSSLMODE, …). It can contain session settings (`options`); ours have priority.
   */
  url: string
  /** Shown in pg_stat_activity. */
  applicationName: string
  /** Number of connections that reads for accounts share. */
  readers: number
  /** A server that does not respond within this time counts as unavailable. */
  connectTimeoutMs: number
  /** Maximum duration of a statement. */
  statementTimeoutMs: number
  /** Only the server ends a statement, so that a transaction may lift the limit. Omitted: the driver does so after it, too. */
  isLimitedByServer?: true
}

/**
 * Parses 64-bit integers as numbers (times in ms and counts stay far below 2^53) and booleans as 0 and 1, as
 * SQLite returns them. Sums of bigints are numeric.
 */
const { builtins } = pg.types
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT8, Number],
  [builtins.NUMERIC, Number],
  [builtins.BOOL, (text) => (text === 't' ? 1 : 0)],
])
const types: pg.CustomTypesConfig = {
  getTypeParser: (type, format) => parsers.get(type) ?? pg.types.getTypeParser(type, format),
}

/**
 * Returns the settings of a session. Except for the writer, plans are made for the current values: a plan for
 * any array of any length would read whole tables. A transaction of a stalled process is aborted, so that its
 * locks are released.
 */
const sessionOptions = (statementTimeoutMs: number, more: Readonly<Record<string, string>>): string =>
  [
    'plan_cache_mode=force_custom_plan',
    'random_page_cost=1.1',
    'jit=off',
    'max_parallel_workers_per_gather=0',
    'default_transaction_isolation=read\\ committed',
    `statement_timeout=${statementTimeoutMs}`,
    `idle_in_transaction_session_timeout=${idleInTransactionMs}`,
    `tcp_user_timeout=${unreadResponseMs}`,
    ...Object.entries(more).map(([name, value]) => `${name}=${value}`),
  ]
    .map((option) => `-c ${option}`)
    .join(' ')

/**
 * Longer than any pause of a healthy process between two statements; shorter than clients wait for a send.
 */
const idleInTransactionMs = 5_000

/**
 * The same for a process that stalls while the server sends it more than the network buffers: such a session
 * is not idle, and a statement timeout does not end it. The server's TCP does, on Linux.
 */
const unreadResponseMs = 5_000

/**
 * Time to wait for a response beyond the server's own timeout, also for that of COMMIT. By then the server
 * has cancelled the statement and reported it: silence means that the connection is dead, which TCP would
 * detect only after a quarter of an hour, or never.
 */
const responseGraceMs = 1_000

/** Idle time after which TCP probes a connection; Node.js allows ten more seconds. */
const keepAliveDelayMs = 10_000

/** For sessions that read: a write outside the writer would hold no lock, which is a bug. */
export const readOnly = { default_transaction_read_only: 'on' } as const

/**
 * Creates connections on demand, and again after an outage of the server. `examine` checks each one before
 * its first use and can reject it: after an outage another server may respond at the address.
 */
export function createPostgresPool(
  settings: PostgresSettings,
  connections: number,
  session: Readonly<Record<string, string>> = {},
  examine: (client: pg.ClientBase) => unknown = () => undefined,
): pg.Pool {
  const { connectionString, options } = readAddress(settings.url)
  const pool = new pg.Pool({
    connectionString,
    application_name: settings.applicationName,
    max: connections,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    idleTimeoutMillis: 0,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    // The driver then closes the connection: statements queued after this one would wait as long.
    // A move sets no limit: a page of its copy may take long.
    ...(settings.statementTimeoutMs > 0 &&
      settings.isLimitedByServer === undefined && {
        query_timeout: settings.statementTimeoutMs + responseGraceMs,
      }),
    // Pipelines the statements that a unit sends together: one round trip instead of eight.
    pipeline: true,
    // If an option is set twice, the server uses the later one.
    options: `${options} ${sessionOptions(settings.statementTimeoutMs, session)}`.trim(),
    types,
    // The pool awaits a returned promise, although its types do not say so.
    onConnect: examine,
  })
  // A broken idle connection is replaced on demand; a user of one gets the error from its statement.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Ends the pool, unless a Kysely that uses it has already done so. */
export async function endPool(pool: pg.Pool): Promise<void> {
  if (!pool.ending) await pool.end()
}

/** Runs `use` on a connection of its own; for queries that run once, at the start. */
export async function withClient<T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw asStorageError(error)
  })
  try {
    return await use(client)
  } catch (error) {
    // Any other error was thrown by `use` itself, with its own message.
    throw error instanceof pg.DatabaseError ? asStorageError(error) : error
  } finally {
    client.release()
  }
}
