import { StorageError, type Tx } from '../seam/dialect.ts'

/** The database knows less than this process has seen of it: it was put back meanwhile (P14). */
export class PutBackError extends StorageError {
  override readonly name = 'PutBackError'

  constructor() {
    super(
      'the database was put back while this server ran: nothing is claimed until what waits is held',
      'unavailable',
      false,
    )
  }
}

/**
 * Says that the server has done something, and gives the number under which the database knows of it, for the file beside it (epoch-file.ts). `known`
 * is the last number of this process; a database that is not beyond it is refused.
 */
export async function advanceProgress(tx: Tx, known: number): Promise<number> {
  const row = await tx
    .updateTable('instance')
    .set(({ eb }) => ({ progress: eb('progress', '+', 1) }))
    .where('id', '=', 1)
    .returning('progress')
    .executeTakeFirst()
  const progress = row?.progress ?? 0
  if (known > 0 && progress <= known) throw new PutBackError()
  return progress
}

/**
 * How far the database is with the work of all its nodes. One that is behind what this process has seen of it goes on from there: whoever asks holds
 * what waits in the same transaction.
 */
export async function catchUp(tx: Tx, known: number): Promise<{ progress: number; isBehind: boolean }> {
  const { progress = 0 } =
    (await tx.selectFrom('instance').select('progress').where('id', '=', 1).executeTakeFirst()) ?? {}
  const isBehind = progress < known
  if (isBehind) await tx.updateTable('instance').set({ progress: known }).where('id', '=', 1).execute()
  return { progress: Math.max(progress, known), isBehind }
}
