import { stat } from 'node:fs/promises'
import { databaseFile } from '../data-folder.ts'
import { epochFile, readEpochFile } from './epoch-file.ts'
import { UnusableError } from './unusable.ts'

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

/** What is said where a folder has served a database, and finds an empty one or none. */
export function lostDatabase(dataFolder: string, isShared: boolean): UnusableError {
  const [place, remedy] = isShared
    ? ['the database at DATABASE_URL is empty', 'Set DATABASE_URL to that database, or restore it']
    : [`${databaseFile(dataFolder)} is missing or empty`, 'Put it back (onesixty restore <file>)']
  return new UnusableError(
    `${dataFolder} has served a database, and ${place}. ${remedy}. To begin with a new one, without its accounts, keys and messages, remove ${epochFile(dataFolder)}.`,
  )
}
