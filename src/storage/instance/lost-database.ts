import { stat } from 'node:fs/promises'
import { sql } from 'kysely'
import { databaseFile } from '../../process/data-folder.ts'
import { isShared } from '../seam/database-time.ts'
import type { Db, Tx } from '../seam/dialect.ts'
import { epochFile, readEpochFile } from './epoch-file.ts'
import { UnusableError } from '../seam/unusable-error.ts'

/**
 * Refuses (`UnusableError`) a data folder that has served an embedded database which is not there any more: a new one in its place would know none of
 * its keys, balances and messages, and say nothing of it.
 */
export async function refuseLostDatabase(dataFolder: string): Promise<void> {
  const octets = await stat(databaseFile(dataFolder)).then(
    ({ size }) => size,
    () => 0,
  )
  if (octets > 0) return
  if ((await readEpochFile(dataFolder)) !== null) throw lostDatabase(dataFolder, false)
}

/**
 * The same of a database that is there, and empty: a file that somebody has put in its place, or another database at DATABASE_URL. Whoever opens one, a
 * server or a command, asks before anything else is done with it.
 */
export async function refuseEmptied(db: Db | Tx, dataFolder: string): Promise<void> {
  const instance = await db.selectFrom('instance').select('id').executeTakeFirst()
  if (instance === undefined && (await readEpochFile(dataFolder)) !== null)
    throw lostDatabase(dataFolder, isShared(db))
}

/** The same for the file of an embedded database, of whatever schema. */
export async function refuseEmptiedFile(db: Db, dataFolder: string): Promise<void> {
  const { rows } = await sql`select 1 from sqlite_master where name = 'instance'`.execute(db)
  if (rows.length > 0) await refuseEmptied(db, dataFolder)
  else if ((await readEpochFile(dataFolder)) !== null) throw lostDatabase(dataFolder, false)
}

/** What is said where a folder has served a database, and finds an empty one or none. */
function lostDatabase(dataFolder: string, isOnServer: boolean): UnusableError {
  const [place, remedy] = isOnServer
    ? ['the database at DATABASE_URL is empty', 'Set DATABASE_URL to that database, or restore it']
    : [`${databaseFile(dataFolder)} is missing or empty`, 'Put it back (onesixty restore <file>)']
  return new UnusableError(
    `${dataFolder} has served a database, and ${place}. ${remedy}. To begin with a new one, without its accounts, keys and messages, remove ${epochFile(dataFolder)}.`,
  )
}
