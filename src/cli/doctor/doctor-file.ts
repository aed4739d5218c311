import { stat } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import { compareMigrations } from '../../storage/seam/compare-migrations.ts'
import { databaseFile } from '../../process/data-folder.ts'
import { findDamage, openDatabaseFile, readSyncLevel } from '../../storage/sqlite/database-file.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { refuseEmptiedFile, refuseLostDatabase } from '../../storage/instance/lost-database.ts'
import { refuseMovedFile } from '../../storage/instance/moved.ts'
import { examineSchema } from './doctor-schema.ts'
import { type CheckResult, megabytes, runCheck } from '../core/check-result.ts'
import { ownCommand } from '../../process/own-command.ts'

/** The size of ten checkpoints: a reader keeps the log from being checkpointed. */
const maxWalBytes = 256_000_000

/** Checks the file of the embedded database and, when its schema is known, its tables with `examine`. */
export async function examineFile(
  { dataFolder }: Pick<Config, 'dataFolder'>,
  { full, examine }: { full: boolean; examine: (db: Db) => Promise<CheckResult[]> },
): Promise<CheckResult[]> {
  const file = databaseFile(dataFolder)
  const found = await runCheck(
    'database',
    'Start the server once, or set ONESIXTY_DATA to its folder. If the file is not a database, restore a backup.',
    async () => {
      await refuseLostDatabase(dataFolder)
      const { size } = await stat(file)
      const opened = openDatabaseFile(file)
      // Fails when the file is not a database.
      await refuseEmptiedFile(opened.db, dataFolder).finally(() => void opened.close())
      return `${file}, ${megabytes(size)}.`
    },
  )
  if (!found.ok) return [found]
  const { db, close } = openDatabaseFile(file)
  try {
    await refuseMovedFile(db, dataFolder)
    const schema = await examineSchema(() => compareMigrations(db, 'sqlite'))
    const results = [
      found,
      schema,
      await examineIntegrity(db, full),
      await examineSync(file),
      await examineWal(file),
    ]
    // The sums are defined for a known schema only.
    return schema.ok ? [...results, ...(await examine(db))] : results
  } finally {
    await close()
  }
}

const examineIntegrity = (db: Db, full: boolean): Promise<CheckResult> =>
  runCheck('integrity', `Stop the server and restore a backup: ${ownCommand()} restore <file>.`, async () => {
    const damage = await findDamage(db, full)
    if (damage.length > 0) throw new Error(damage.join(' '))
    return full
      ? 'No corruption found in any page or index.'
      : 'No corruption found (use --full to check indexes).'
  })

const examineSync = (file: string): Promise<CheckResult> =>
  runCheck(
    'synchronous',
    'This build of SQLite is unsafe: use the Node.js that npm ci installs.',
    async () => {
      const level = await readSyncLevel(file)
      if (level < 2) throw new Error(`synchronous is ${level}: a power failure could lose accepted messages.`)
      return 'Every commit is flushed to disk (synchronous=FULL).'
    },
  )

const examineWal = (file: string): Promise<CheckResult> =>
  runCheck(
    'wal',
    'A read has been open for long: stop old doctor, backup or export commands, or restart the server.',
    async () => {
      const bytes = await stat(`${file}-wal`).then(
        ({ size }) => size,
        () => 0,
      )
      if (bytes > maxWalBytes) throw new Error(`The write-ahead log has grown to ${megabytes(bytes)}.`)
      return `The write-ahead log is ${megabytes(bytes)}.`
    },
  )
