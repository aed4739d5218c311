import type { Config } from '../config.ts'
import { compareMigrations } from '../storage/compare-migrations.ts'
import type { Db } from '../storage/dialect.ts'
import {
  countConnections,
  hasChecksums,
  longestTransaction,
  openServerDatabase,
  readEverything,
  readFollowers,
  readServerFacts,
  transactionAge,
} from '../storage/examine-postgres.ts'
import { refuseEmptied } from '../storage/lost-database.ts'
import { refuseMovedTables } from '../storage/moved.ts'
import { connectionsOf, postgresSettingsOf } from '../storage/open-storage.ts'
import { examineSchema } from './doctor-schema.ts'
import { attempt, type Finding, megabytes } from './finding.ts'

/** As long as a transaction is open, no row that was changed since can be cleared away: queues grow slow. */
const longestTransactionSeconds = 600
/** Half of what a server has until it stops writing: it has a week or more to catch up. */
const oldestTransactions = 1_000_000_000
/** What a standby that was away for some minutes of load catches up with; more fills the disk of the server, or is lost with it. */
const mostBehindBytes = 1_000_000_000

/** Looks at the database on a server; gives the findings and, when its schema is ours, what `examine` finds in its tables. */
export async function examineServer(
  config: Config,
  url: string,
  { full, examine }: { full: boolean; examine: (db: Db) => Promise<Finding[]> },
): Promise<Finding[]> {
  const { db, refuseUnsafe, close } = openServerDatabase(postgresSettingsOf(config, url))
  try {
    const found = await examineDatabase(db)
    if (!found.ok) return [found]
    const schema = await examineSchema(() => compareMigrations(db, 'postgres'))
    if (schema.ok) {
      await refuseMovedTables(db, config.dataFolder)
      await refuseEmptied(db, config.dataFolder)
    }
    const findings = [
      found,
      schema,
      await examineIntegrity(db, full),
      await attempt('settings', 'Until then no server starts on it.', async () => {
        await refuseUnsafe()
        return 'Every commit is flushed (fsync, full_page_writes and synchronous_commit are on).'
      }),
      await examineConnections(db, connectionsOf(config)),
      await examineTransactions(db),
      await examineFollowers(db),
    ]
    // Of a schema that is not ours the sums would say nothing.
    return schema.ok ? [...findings, ...(await examine(db))] : findings
  } finally {
    await close()
  }
}

const examineDatabase = (db: Db): Promise<Finding> =>
  attempt(
    'database',
    'Look whether PostgreSQL runs and lets this user in: psql with the same DATABASE_URL says more.',
    async () => {
      const { version, database, bytes, isStandby } = await readServerFacts(db)
      if (isStandby === 1)
        throw new Error('This server follows another one: set DATABASE_URL to the one that takes writes.')
      return `PostgreSQL ${version}, database ${database}, ${megabytes(bytes)}.`
    },
  )

const examineIntegrity = (db: Db, full: boolean): Promise<Finding> =>
  attempt(
    'integrity',
    'Stop the servers, keep a copy of what there is, and restore a backup of PostgreSQL.',
    async () => {
      const checksums = (await hasChecksums(db)) ? 'bear checksums' : 'bear no checksums (see pg_checksums)'
      if (!full) return `Pages ${checksums} (--full reads all of them).`
      return (await readEverything(db))
        ? `Every row can be read, every index is sound; pages ${checksums}.`
        : `Every row can be read; pages ${checksums}. Indexes are looked into once the extension amcheck is there.`
    },
  )

const examineConnections = (db: Db, needed: number): Promise<Finding> =>
  attempt(
    'connections',
    'Raise max_connections, lower ONESIXTY_POSTGRES_READERS, or end what else is connected.',
    async () => {
      const { most, taken } = await countConnections(db)
      const says = `${taken} of ${most} connections are taken; a node takes up to ${needed}.`
      if (most - taken < needed) throw new Error(`${says} There is no room for one more.`)
      return says
    },
  )

const examineTransactions = (db: Db): Promise<Finding> =>
  attempt(
    'transactions',
    'End what has been open so long (pg_stat_activity), drop replication slots that nobody uses, and let autovacuum work.',
    async () => {
      const [seconds, age] = [await longestTransaction(db), await transactionAge(db)]
      if (seconds > longestTransactionSeconds)
        throw new Error(
          `A transaction has been open for ${seconds} seconds: nothing deleted since can be cleared away.`,
        )
      if (age > oldestTransactions)
        throw new Error(`The oldest rows are ${age} transactions old: autovacuum does not keep up.`)
      return `The longest transaction has been open for ${seconds} seconds.`
    },
  )

const examineFollowers = (db: Db): Promise<Finding> =>
  attempt('replication', 'Bring the standby back, or drop its slot: pg_drop_replication_slot.', async () => {
    const followers = await readFollowers(db)
    const late = followers.filter(({ behindBytes }) => (behindBytes ?? 0) > mostBehindBytes)
    if (late.length > 0)
      throw new Error(
        late
          .map(({ name, behindBytes }) => `${name} is ${megabytes(behindBytes ?? 0)} of log behind.`)
          .join(' '),
      )
    const there = followers.filter(({ isThere }) => isThere === 1)
    return there.length === 0
      ? 'No other server follows this one.'
      : `${there.map(({ name, behindBytes }) => `${name}, ${megabytes(behindBytes ?? 0)} behind`).join('; ')}.`
  })
