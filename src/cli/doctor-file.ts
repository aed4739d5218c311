import { stat } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { compareMigrations } from '../storage/compare-migrations.ts'
import { databaseFile } from '../data-folder.ts'
import { findDamage, openDatabaseFile, readSyncLevel } from '../storage/database-file.ts'
import type { Db } from '../storage/dialect.ts'
import { refuseEmptiedFile, refuseLostDatabase } from '../storage/lost-database.ts'
import { refuseMovedFile } from '../storage/moved.ts'
import { examineSchema } from './doctor-schema.ts'
import { attempt, type Finding, megabytes } from './finding.ts'

/** Ten checkpoints' worth: something keeps the log from being taken over into the database. */
const mostWalBytes = 256_000_000

/** Looks at the file of the embedded database; gives the findings and, when its schema is ours, what `examine` finds in its tables. */
export async function examineFile(
  { dataFolder }: Pick<Config, 'dataFolder'>,
  { full, examine }: { full: boolean; examine: (db: Db) => Promise<Finding[]> },
): Promise<Finding[]> {
  const file = databaseFile(dataFolder)
  const found = await attempt(
    'database',
    'Start the server once, or set ONESIXTY_DATA to its folder; if the file is no database, restore a backup.',
    async () => {
      await refuseLostDatabase(dataFolder)
      const { size } = await stat(file)
      const opened = openDatabaseFile(file)
      // Fails when it is no database.
      await refuseEmptiedFile(opened.db, dataFolder).finally(() => void opened.close())
      return `${file}, ${megabytes(size)}.`
    },
  )
  if (!found.ok) return [found]
  const { db, close } = openDatabaseFile(file)
  try {
    await refuseMovedFile(db, dataFolder)
    const schema = await examineSchema(() => compareMigrations(db, 'sqlite'))
    const findings = [
      found,
      schema,
      await examineIntegrity(db, full),
      await examineSync(file),
      await examineWal(file),
    ]
    // Of a schema that is not ours the sums would say nothing.
    return schema.ok ? [...findings, ...(await examine(db))] : findings
  } finally {
    await close()
  }
}

const examineIntegrity = (db: Db, full: boolean): Promise<Finding> =>
  attempt('integrity', 'Stop the server and restore a backup: onesixty restore <file>.', async () => {
    const damage = await findDamage(db, full)
    if (damage.length > 0) throw new Error(damage.join(' '))
    return full ? 'Every page and index is sound.' : 'The file is sound (--full looks into the indexes too).'
  })

const examineSync = (file: string): Promise<Finding> =>
  attempt(
    'synchronous',
    'This build of SQLite is not safe: use the Node.js that npm ci installs.',
    async () => {
      const level = await readSyncLevel(file)
      if (level < 2) throw new Error(`synchronous is ${level}: a power cut could lose accepted messages.`)
      return 'Every commit is flushed (synchronous=FULL).'
    },
  )

const examineWal = (file: string): Promise<Finding> =>
  attempt(
    'wal',
    'Something reads for very long: end old doctor, backup or export commands, or restart the server.',
    async () => {
      const bytes = await stat(`${file}-wal`).then(
        ({ size }) => size,
        () => 0,
      )
      if (bytes > mostWalBytes) throw new Error(`The write-ahead log has grown to ${megabytes(bytes)}.`)
      return `The write-ahead log has ${megabytes(bytes)}.`
    },
  )
