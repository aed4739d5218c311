import { stat } from 'node:fs/promises'
import { databaseFile } from '../storage/database.ts'
import { findDamage, openDatabaseFile, readSyncLevel } from '../storage/database-file.ts'
import type { Db } from '../storage/dialect.ts'
import { refuseMovedFile } from '../storage/moved.ts'
import { examineContents } from './doctor-contents.ts'
import { attempt, type Finding, megabytes } from './findings.ts'
import type { Toolbox } from './toolbox.ts'

/** Ten checkpoints' worth: something keeps the log from being taken over into the database. */
const mostWalBytes = 256_000_000

/** The file of the embedded database, and what stands in it. */
export async function examineFile(tools: Toolbox, full: boolean): Promise<Finding[]> {
  const file = databaseFile(tools.config.dataFolder)
  const found = await attempt(
    'database',
    'Start the server once, or set ONESIXTY_DATA to its folder; if the file is no database, restore a backup.',
    async () => {
      const { size } = await stat(file)
      // Fails when it is no database.
      await openDatabaseFile(file).close()
      return `${file}, ${megabytes(size)}.`
    },
  )
  if (!found.ok) return [found]
  const opened = openDatabaseFile(file)
  try {
    await refuseMovedFile(opened.db, tools.config.dataFolder)
    const [schema, ...contents] = await examineContents(tools, opened.db, 'sqlite')
    const files = [await examineIntegrity(opened.db, full), await examineSync(file), await examineWal(file)]
    return [found, schema as Finding, ...files, ...contents]
  } finally {
    await opened.close()
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
