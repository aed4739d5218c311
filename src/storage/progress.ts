import type { Tx } from './dialect.ts'

/** The database knows less than this process has seen of it: it was put back meanwhile (P14). */
export class PutBackError extends Error {
  override readonly name = 'PutBackError'
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
  if (known > 0 && progress <= known)
    throw new PutBackError(
      'the database was put back while this server ran: nothing is claimed until what waits is held',
    )
  return progress
}

/** Whether the database is behind what this process has seen of it. Then it goes on from there: whoever asks holds what waits in the same transaction. */
export async function catchesUp(tx: Tx, known: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('instance')
    .set({ progress: known })
    .where('id', '=', 1)
    .where('progress', '<', known)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
