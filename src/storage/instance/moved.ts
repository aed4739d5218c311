import { sql } from 'kysely'
import { rfc3339 } from '../../runtime/clock.ts'
import { secretFile } from '../../process/instance-secret.ts'
import type { Storage } from '../seam/storage.ts'
import type { Db, Tx } from '../seam/dialect.ts'
import { refuseEmptied } from './lost-database.ts'

/** This database is not the one to work with: it has moved away, or what moves to it has not arrived. */
export class MovedError extends Error {
  override readonly name = 'MovedError'
}

/**
 * Part of opening a database for a server or a command, before anything else is asked of it. Throws `MovedError`. A move away that was begun
 * and not finished begins anew: what is done from now on is not in its copy.
 */
async function refuseMoved(
  { read, writer }: Pick<Storage, 'read' | 'writer'>,
  dataFolder: string,
): Promise<void> {
  const begun = await read.selectFrom('moves').select('id').limit(1).execute()
  if (begun.length === 0) return
  // In one unit, so that a move that ends just now is seen either as finished or not at all.
  const why = await writer.write(async (tx) => {
    const reason = await whyNot(tx, dataFolder)
    if (reason === null) await voidCopy(tx)
    return reason
  })
  if (why !== null) throw new MovedError(why)
}

/** Waits for a database that is being opened, and refuses one that has moved, or is not there any more (lost-database.ts); then it is closed again. */
export async function openUnlessGone<T extends Pick<Storage, 'read' | 'writer' | 'close'>>(
  opening: Promise<T>,
  dataFolder: string,
): Promise<T> {
  const storage = await opening
  try {
    await refuseMoved(storage, dataFolder)
    await refuseEmptied(storage.read, dataFolder)
  } catch (error) {
    await storage.close()
    throw error
  }
  return storage
}

/** The same where nothing is voided: of a database that is only looked at, and within the first transaction of a server, which may be later than a move. */
export async function refuseMovedTables(db: Db | Tx, dataFolder: string): Promise<void> {
  const why = await whyNot(db, dataFolder)
  if (why !== null) throw new MovedError(why)
}

/** The same for the file of an embedded database, of whatever schema. */
export async function refuseMovedFile(db: Db, dataFolder: string): Promise<void> {
  if (await knowsMoves(db)) await refuseMovedTables(db, dataFolder)
}

/** Of the copy of an embedded database: it is a house of its own, and has not begun to move. */
export async function forgetMove(tx: Tx): Promise<void> {
  if (await knowsMoves(tx)) await tx.deleteFrom('moves').where('finished_at', 'is', null).execute()
}

/** A file of an older schema does not. */
async function knowsMoves(db: Db | Tx): Promise<boolean> {
  const { rows } = await sql`select 1 from sqlite_master where name = 'moves'`.execute(db)
  return rows.length > 0
}

/** From now on the state of this database is another than the one that was being copied. */
export async function voidCopy(tx: Tx): Promise<void> {
  await tx
    .updateTable('moves')
    .set({ copy_id: null })
    .where('direction', '=', 'out')
    .where('copy_id', 'is not', null)
    .execute()
}

/** Why this database is not to be used, as a sentence; null when it is. */
async function whyNot(db: Db | Tx, dataFolder: string): Promise<string | null> {
  for (const { direction, place, finished_at } of await db.selectFrom('moves').selectAll().execute()) {
    if (direction === 'out' && finished_at !== null) return movedSentence(dataFolder, place, finished_at)
    if (direction === 'in' && finished_at === null)
      return `What moves to this database from ${place} has not all arrived. Run onesixty move there once more; it goes on where it was.`
  }
  return null
}

/** Also what the triggers say that keep a moved database as it is. */
export const movedSentence = (dataFolder: string, place: string, atMs: number): string =>
  `The database in ${dataFolder} has moved to ${place} (${rfc3339(atMs)}) and stays as it was then. Set DATABASE_URL to that address and ONESIXTY_SECRET to what ${secretFile(dataFolder)} holds. The only way back is a backup: onesixty restore <file>; what happened since it was made is not in it.`
