import pg from 'pg'
import { readAddress } from './postgres-address.ts'
import { asStorageError } from './postgres-faults.ts'

/** How the program meets a PostgreSQL server. */
export interface PostgresSettings {
  /**
   * `postgres://…`; what it leaves out comes from the variables that every PostgreSQL client reads (PGPASSWORD, PGSSLMODE, …). It may ask for
   * settings of sessions (`options`), of which ours go before.
   */
  url: string
  /** Seen in pg_stat_activity. */
  applicationName: string
  /** How many connections the reads for accounts share. */
  readers: number
  /** A server that does not answer within this counts as away. */
  connectTimeoutMs: number
  /** No statement runs longer. */
  statementTimeoutMs: number
}

/**
 * Integers of 64 bits as numbers (times in ms and counts stay far below 2^53) and truth values as 0 and 1, as SQLite gives them. Sums of
 * bigints are numeric.
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
 * What each session runs with. Plans are made for the values at hand, but for the writer's: a plan for any array of any length would read whole tables. A
 * transaction whose process stands still is ended, so that what it has locked is free again.
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
    `tcp_user_timeout=${unreadAnswerMs}`,
    ...Object.entries(more).map(([name, value]) => `${name}=${value}`),
  ]
    .map((option) => `-c ${option}`)
    .join(' ')

/** Longer than any pause of a healthy process between two statements; shorter than anybody waits for a send. */
const idleInTransactionMs = 5_000

/**
 * The same for a process that stands still while the server tells it more than the network holds: such a session is neither idle nor does a
 * time-out of statements end it. The server's TCP does, where that is Linux.
 */
const unreadAnswerMs = 5_000

/**
 * So much longer than the server may take for a statement an answer is waited for, that of COMMIT too. The server has ended the statement by
 * then and said so: no word means that the way to it is gone, which TCP alone would tell after a quarter of an hour, or never.
 */
const answerGraceMs = 1_000

/** A connection that nobody uses is asked by TCP for a sign of life after this; Node.js gives it ten more seconds. */
const keepAliveDelayMs = 10_000

/** Of a session that reads: what writes besides the writer would hold no lock, and is a mistake. */
export const readOnly = { default_transaction_read_only: 'on' } as const

/**
 * Connections that are made when they are wanted, and anew after the server was away. `examine` looks at each before anybody is lent it, and
 * may refuse it: what answers at the address may be another server than before.
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
    // The driver breaks the connection then: what is posted behind the statement would wait as long.
    // A move sets no bound: a page of its copy may take long.
    ...(settings.statementTimeoutMs > 0 && { query_timeout: settings.statementTimeoutMs + answerGraceMs }),
    // Statements that a unit posts together cross together: one round trip in the place of eight.
    pipeline: true,
    // Of two that set the same the server takes the later one.
    options: `${options} ${sessionOptions(settings.statementTimeoutMs, session)}`.trim(),
    types,
    // A promise that it gives is waited for, though the types of the pool do not say so.
    onConnect: examine,
  })
  // An idle connection that breaks is made anew when it is wanted; whoever uses one is told by its statement.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Ends it, unless whoever was lent its Kysely has. */
export async function endPool(pool: pg.Pool): Promise<void> {
  if (!pool.ending) await pool.end()
}

/** Runs `look` on a connection of its own; for what is asked once, at the start. */
export async function withClient<T>(pool: pg.Pool, look: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw asStorageError(error)
  })
  try {
    return await look(client)
  } catch (error) {
    // What was said by neither the server nor the connection was said by `look`, in its own words.
    throw error instanceof pg.DatabaseError ? asStorageError(error) : error
  } finally {
    client.release()
  }
}
