import { sql } from 'kysely'
import type { Db } from '../storage/dialect.ts'
import { postgresSettingsOf } from '../storage/open-storage.ts'
import { examineContents } from './doctor-contents.ts'
import { attempt, type Finding, megabytes } from './findings.ts'
import type { Toolbox } from './toolbox.ts'

/** Above this share of its connections a server soon refuses some. */
const mostConnectionShare = 0.8
/** A transaction that stands open for so long keeps dead rows from being cleared away. */
const longestTransactionMinutes = 10

/** The PostgreSQL server at DATABASE_URL, and what stands in its database. Nothing is changed. */
export async function examineServer(tools: Toolbox, url: string): Promise<Finding[]> {
  const { openForReading } = await import('../storage/postgres-database.ts')
  const opened = openForReading(postgresSettingsOf(tools.config, url))
  try {
    const found = await attempt(
      'database',
      'Start PostgreSQL, or set DATABASE_URL to where it is. The password may stand in PGPASSWORD or a pgpass file.',
      async () => {
        const [row] = await query<{ name: string; version: string; bytes: number }>(
          opened.db,
          sql`select current_database() as name, current_setting('server_version') as version,
            pg_database_size(current_database()) as bytes`,
        )
        return `${row?.name} on PostgreSQL ${row?.version}, ${megabytes(row?.bytes ?? 0)}.`
      },
    )
    if (!found.ok) return [found]
    const server = [
      await examineSafety(opened.refuseUnsafe),
      await examineConnections(opened.db),
      await examineTransactions(opened.db),
    ]
    return [found, ...server, ...(await examineContents(tools, opened.db, 'postgres'))]
  } finally {
    await opened.close()
  }
}

const query = async <R>(db: Db, statement: ReturnType<typeof sql<R>>): Promise<R[]> =>
  (await statement.execute(db)).rows

const examineSafety = (refuseUnsafe: () => Promise<void>): Promise<Finding> =>
  attempt('synchronous', 'Change what is named; the server refuses to start like this.', async () => {
    await refuseUnsafe()
    return 'Every commit is flushed (fsync, full_page_writes and synchronous_commit are on).'
  })

const examineConnections = (db: Db): Promise<Finding> =>
  attempt('connections', 'Raise max_connections, lower ONESIXTY_POSTGRES_READERS, or end other clients.', async () => {
    const [row] = await query<{ open: number; most: number }>(
      db,
      sql`select (select count(*) from pg_stat_activity where backend_type = 'client backend') as open,
        current_setting('max_connections')::bigint as most`,
    )
    const { open = 0, most = 0 } = row ?? {}
    if (open > mostConnectionShare * most) throw new Error(`${open} of ${most} connections are in use.`)
    return `${open} of ${most} connections are in use.`
  }) // prettier-ignore

const examineTransactions = (db: Db): Promise<Finding> =>
  attempt(
    'transactions',
    'End what holds it open (pg_terminate_backend): nothing of onesixty runs so long but an export or a backup.',
    async () => {
      const [row] = await query<{ minutes: number }>(
        db,
        sql`select coalesce(max(extract(epoch from now() - xact_start)), 0) / 60 as minutes
          from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
      )
      const minutes = Math.floor(row?.minutes ?? 0)
      if (minutes >= longestTransactionMinutes)
        throw new Error(`A transaction has been open for ${minutes} minutes.`)
      return 'No transaction stands open for long.'
    },
  )
