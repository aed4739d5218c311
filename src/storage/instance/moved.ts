import { sql } from 'kysely'
import { rfc3339 } from '../../runtime/clock.ts'
import { secretFile } from '../../process/instance-secret.ts'
import type { Storage } from '../seam/storage.ts'
import type { Db, Tx } from '../seam/dialect.ts'
import { refuseEmptied } from './lost-database.ts'
import { ownCommand } from '../../process/own-command.ts'

/**
 * Thrown for a database that must not be used: it has moved to another place, or a move to it is incomplete.
 */
export class MovedError extends Error {
  override readonly name = 'MovedError'
}

/**
 * Checks a database that a server or a command opens, before any other query. Throws `MovedError`. An
 * unfinished move to another place starts again from the beginning, since its copy lacks later changes.
 */
async function refuseMoved(
  { read, writer }: Pick<Storage, 'read' | 'writer'>,
  dataFolder: string,
): Promise<void> {
  const begun = await read.selectFrom('moves').select('id').limit(1).execute()
  if (begun.length === 0) return
  // In one unit, so that a move that finishes right now is seen either as finished or not at all.
  const why = await writer.write(async (tx) => {
    const reason = await whyNot(tx, dataFolder)
    if (reason === null) await voidCopy(tx)
    return reason
  })
  if (why !== null) throw new MovedError(why)
}

/**
 * Waits for a database to open, and rejects one that has moved or is lost (lost-database.ts); then it is
 * closed again.
 */
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

/**
 * Does the same without voiding a copy: for a database that is only read, and in the first transaction of a
 * server, which may run after a move.
 */
export async function refuseMovedTables(db: Db | Tx, dataFolder: string): Promise<void> {
  const why = await whyNot(db, dataFolder)
  if (why !== null) throw new MovedError(why)
}

/** Does the same for the file of an embedded database with any schema. */
export async function refuseMovedFile(db: Db, dataFolder: string): Promise<void> {
  if (await knowsMoves(db)) await refuseMovedTables(db, dataFolder)
}

/**
 * Removes an unfinished move from a copy of an embedded database: the copy is a database of its own, and is
 * not moving.
 */
export async function clearMove(tx: Tx): Promise<void> {
  if (await knowsMoves(tx)) await tx.deleteFrom('moves').where('finished_at', 'is', null).execute()
}

/** Returns false for a file of an older schema. */
async function knowsMoves(db: Db | Tx): Promise<boolean> {
  const { rows } = await sql`select 1 from sqlite_master where name = 'moves'`.execute(db)
  return rows.length > 0
}

/** Voids the copy of an unfinished move: the database has changed since. */
export async function voidCopy(tx: Tx): Promise<void> {
  await tx
    .updateTable('moves')
    .set({ copy_id: null })
    .where('direction', '=', 'out')
    .where('copy_id', 'is not', null)
    .execute()
}

/** Returns why this database must not be used, as a sentence; null if it can be used. */
async function whyNot(db: Db | Tx, dataFolder: string): Promise<string | null> {
  for (const { direction, place, finished_at } of await db.selectFrom('moves').selectAll().execute()) {
    if (direction === 'out' && finished_at !== null) return movedSentence(dataFolder, place, finished_at)
    if (direction === 'in' && finished_at === null)
      return `The move to this database from ${place} is incomplete. Run ${ownCommand()} move there again: it continues where it stopped.`
  }
  return null
}

/** Builds the error for a moved database; the triggers that protect one raise it too. */
export const movedSentence = (dataFolder: string, place: string, atMs: number): string =>
  `The database in ${dataFolder} was moved to ${place} (${rfc3339(atMs)}) and has been read-only since. Set DATABASE_URL to that address and ONESIXTY_SECRET to the content of ${secretFile(dataFolder)}. The only way back is a backup, which lacks later changes: ${ownCommand()} restore <file>.`
