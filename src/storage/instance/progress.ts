import { StorageError, type Tx } from '../seam/dialect.ts'

/**
 * Thrown if the database has made less progress than this process has seen: it was restored meanwhile (P14).
 */
export class RestoredError extends StorageError {
  override readonly name = 'RestoredError'

  constructor() {
    super(
      'the database was restored while this server ran: nothing is claimed until scheduled and queued messages are held',
      'unavailable',
      false,
    )
  }
}

/**
 * Increments the progress of the database, and returns it for the file next to it (epoch-file.ts). `known` is
 * the last number that this process has seen; a database that is not beyond it is rejected.
 */
export async function advanceProgress(tx: Tx, known: number): Promise<number> {
  const row = await tx
    .updateTable('instance')
    .set(({ eb }) => ({ progress: eb('progress', '+', 1) }))
    .where('id', '=', 1)
    .returning('progress')
    .executeTakeFirst()
  const progress = row?.progress ?? 0
  if (known > 0 && progress <= known) throw new RestoredError()
  return progress
}

/**
 * Returns the progress of the database with the work of all its nodes. A database that is older than what
 * this process has seen continues from there; the caller holds queued messages in the same transaction.
 */
export async function catchUp(tx: Tx, known: number): Promise<{ progress: number; isOutdated: boolean }> {
  const { progress = 0 } =
    (await tx.selectFrom('instance').select('progress').where('id', '=', 1).executeTakeFirst()) ?? {}
  const isOutdated = progress < known
  if (isOutdated) await tx.updateTable('instance').set({ progress: known }).where('id', '=', 1).execute()
  return { progress: Math.max(progress, known), isOutdated }
}
