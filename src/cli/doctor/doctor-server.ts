import type { Config } from '../../config.ts'
import { compareMigrations } from '../../storage/seam/compare-migrations.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import {
  countConnections,
  hasChecksums,
  longestTransaction,
  openServerDatabase,
  readEverything,
  readFollowers,
  readServerFacts,
  transactionAge,
} from '../../storage/open/examine-postgres.ts'
import { refuseEmptied } from '../../storage/instance/lost-database.ts'
import { refuseMovedTables } from '../../storage/instance/moved.ts'
import { connectionsOf, postgresSettingsOf } from '../../storage/open/open-storage.ts'
import { examineSchema } from './doctor-schema.ts'
import { type CheckResult, megabytes, runCheck } from '../core/check-result.ts'

/** While a transaction is open, vacuum cannot remove rows that changed since: queues become slow. */
const maxTransactionSeconds = 600
/** Half of the age at which PostgreSQL stops writing: autovacuum has a week or more to catch up. */
const maxTransactionAge = 1_000_000_000
/** A standby catches up with this after some minutes of load. More fills the disk of the server, or is lost with it. */
const maxLagBytes = 1_000_000_000

/** Checks the database on a server and, when its schema is known, its tables with `examine`. */
export async function examineServer(
  config: Config,
  url: string,
  { full, examine }: { full: boolean; examine: (db: Db) => Promise<CheckResult[]> },
): Promise<CheckResult[]> {
  const { db, refuseUnsafe, close } = openServerDatabase(postgresSettingsOf(config, url))
  try {
    const found = await examineDatabase(db)
    if (!found.ok) return [found]
    const schema = await examineSchema(() => compareMigrations(db, 'postgres'))
    if (schema.ok) {
      await refuseMovedTables(db, config.dataFolder)
      await refuseEmptied(db, config.dataFolder)
    }
    const results = [
      found,
      schema,
      await examineIntegrity(db, full),
      await runCheck('settings', 'No server starts until these settings are fixed.', async () => {
        await refuseUnsafe()
        return 'Every commit is flushed to disk (fsync, full_page_writes and synchronous_commit are on).'
      }),
      await examineConnections(db, connectionsOf(config)),
      await examineTransactions(db),
      await examineFollowers(db),
    ]
    // The sums are defined for a known schema only.
    return schema.ok ? [...results, ...(await examine(db))] : results
  } finally {
    await close()
  }
}

const examineDatabase = (db: Db): Promise<CheckResult> =>
  runCheck(
    'database',
    'Check that PostgreSQL is running and accepts this user: try psql with the same DATABASE_URL.',
    async () => {
      const { version, database, bytes, isStandby } = await readServerFacts(db)
      if (isStandby === 1) throw new Error('This server is a standby: set DATABASE_URL to the primary.')
      return `PostgreSQL ${version}, database ${database}, ${megabytes(bytes)}.`
    },
  )

const examineIntegrity = (db: Db, full: boolean): Promise<CheckResult> =>
  runCheck(
    'integrity',
    'Stop the servers, keep a copy of the data, and restore a backup of PostgreSQL.',
    async () => {
      const checksums = (await hasChecksums(db)) ? 'have checksums' : 'have no checksums (see pg_checksums)'
      if (!full) return `Pages ${checksums} (use --full to read all pages).`
      return (await readEverything(db))
        ? `No corruption found in any row or index; pages ${checksums}.`
        : `No corruption found in any row; pages ${checksums}. Install the extension amcheck to check indexes.`
    },
  )

const examineConnections = (db: Db, needed: number): Promise<CheckResult> =>
  runCheck(
    'connections',
    'Raise max_connections, lower ONESIXTY_POSTGRES_READERS, or close other connections.',
    async () => {
      const { most, taken } = await countConnections(db)
      const summary = `${taken} of ${most} connections in use; a node needs up to ${needed}.`
      if (most - taken < needed) throw new Error(`${summary} Another node cannot connect.`)
      return summary
    },
  )

const examineTransactions = (db: Db): Promise<CheckResult> =>
  runCheck(
    'transactions',
    'Close long transactions (pg_stat_activity), drop unused replication slots, and check that autovacuum runs.',
    async () => {
      const [seconds, age] = [await longestTransaction(db), await transactionAge(db)]
      if (seconds > maxTransactionSeconds)
        throw new Error(
          `A transaction has been open for ${seconds} s: vacuum cannot remove rows that were deleted since.`,
        )
      if (age > maxTransactionAge)
        throw new Error(`The oldest rows are ${age} transactions old: autovacuum is too slow.`)
      return `The longest transaction has been open for ${seconds} s.`
    },
  )

const examineFollowers = (db: Db): Promise<CheckResult> =>
  runCheck('replication', 'Start the standby, or drop its slot: pg_drop_replication_slot.', async () => {
    const followers = await readFollowers(db)
    const late = followers.filter(({ lagBytes }) => (lagBytes ?? 0) > maxLagBytes)
    if (late.length > 0)
      throw new Error(
        late.map(({ name, lagBytes }) => `${name} is ${megabytes(lagBytes ?? 0)} of WAL behind.`).join(' '),
      )
    const there = followers.filter(({ isThere }) => isThere === 1)
    return there.length === 0
      ? 'No standby is connected.'
      : `${there.map(({ name, lagBytes }) => `${name}, ${megabytes(lagBytes ?? 0)} behind`).join('; ')}.`
  })
