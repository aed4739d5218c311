import { stat } from 'node:fs/promises'
import { sql } from 'kysely'
import { databaseFile } from '../../process/data-folder.ts'
import { isShared } from '../seam/database-time.ts'
import type { Db, Tx } from '../seam/dialect.ts'
import { epochFile, readEpochFile } from './epoch-file.ts'
import { UnusableError } from '../seam/unusable-error.ts'
import { ownCommand } from '../../process/own-command.ts'

/**
 * Throws `UnusableError` if the data folder has served an embedded database that no longer exists. A new one
 * in its place would silently lack all keys, balances and messages.
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
 * Does the same for a database that exists but is empty: a replaced file, or another database at
 * DATABASE_URL. Every server and command calls it before anything else.
 */
export async function refuseEmptied(db: Db | Tx, dataFolder: string): Promise<void> {
  const instance = await db.selectFrom('instance').select('id').executeTakeFirst()
  if (instance === undefined && (await readEpochFile(dataFolder)) !== null)
    throw lostDatabase(dataFolder, isShared(db))
}

/** Does the same for the file of an embedded database with any schema. */
export async function refuseEmptiedFile(db: Db, dataFolder: string): Promise<void> {
  const { rows } = await sql`select 1 from sqlite_master where name = 'instance'`.execute(db)
  if (rows.length > 0) await refuseEmptied(db, dataFolder)
  else if ((await readEpochFile(dataFolder)) !== null) throw lostDatabase(dataFolder, false)
}

/** Builds the error for a folder that has served a database, and now has an empty one or none. */
function lostDatabase(dataFolder: string, isOnServer: boolean): UnusableError {
  const [place, remedy] = isOnServer
    ? ['the database at DATABASE_URL is empty', 'Set DATABASE_URL to that database, or restore it']
    : [`${databaseFile(dataFolder)} is missing or empty`, `Restore it (${ownCommand()} restore <file>)`]
  return new UnusableError(
    `${dataFolder} has served a database, and ${place}. ${remedy}. To start with a new one, without its accounts, keys and messages, remove ${epochFile(dataFolder)}.`,
  )
}
