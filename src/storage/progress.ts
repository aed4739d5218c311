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
      'the database was put back while this server ran: it claims nothing until that is held',
    )
  return progress
}
