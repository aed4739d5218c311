import { sql } from 'kysely'
import { allDone } from '../../runtime/all-done.ts'
import { type Db, StorageError, type Tx } from '../seam/dialect.ts'
import { lanesHeld } from '../seam/lanes.ts'
import { addToRows, selectEach } from '../seam/sets.ts'

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

const ofNodes = 'coalesce((select cast(sum(p.progress) as bigint) from node_progress p), 0)'

/** The progress of the database, of a row of `instance`: what units without others have added to it, and the nodes by themselves. */
export const totalProgress = sql<number>`progress + ${sql.raw(ofNodes)}`

/**
 * Increments the progress of the database, and returns it for the file next to it (epoch-file.ts). `known` is
 * the last number that this process has seen; a database that is not beyond it is rejected. A unit with lanes, for which
 * other nodes do not wait, adds to the count of its node, `epoch`: the sum has all that this process can have seen, and its own.
 */
export async function advanceProgress(tx: Tx, known: number, epoch?: number): Promise<number> {
  const held = lanesHeld(tx)
  const progress = await (held === null ? advanceAlone(tx) : advanceNode(tx, epoch ?? held.leave()))
  if (known > 0 && progress <= known) throw new RestoredError()
  return progress
}

async function advanceAlone(tx: Tx): Promise<number> {
  const row = await tx
    .updateTable('instance')
    .set(({ eb }) => ({ progress: eb('progress', '+', 1) }))
    .where('id', '=', 1)
    .returning(totalProgress.as('progress'))
    .executeTakeFirst()
  return row?.progress ?? 0
}

const sumOfNodes = {
  sql: `select i.progress + ${ofNodes} as progress from instance i where i.id = :id`,
  inputs: ['id'],
  few: true,
  // Other nodes add to theirs meanwhile: what a claim had seen is read again behind its commit (dispatch-units.ts).
  lanes: 'own',
} as const

async function advanceNode(tx: Tx, epoch: number): Promise<number> {
  const [, rows] = await allDone([
    addToRows(tx, 'node_progress', { key: ['epoch'], amounts: ['progress'] }, [{ epoch, progress: 1 }]),
    selectEach<{ progress: number }>(tx, sumOfNodes, [[1]]),
  ])
  return rows[0]?.progress ?? 0
}

/** Returns the progress of the database with what is committed. */
export async function readProgress(db: Db | Tx): Promise<number> {
  const row = await db
    .selectFrom('instance')
    .select(totalProgress.as('progress'))
    .where('id', '=', 1)
    .executeTakeFirst()
  return row?.progress ?? 0
}

/**
 * Returns the progress of the database with the work of all its nodes. A database that is older than what
 * this process has seen continues from there; the caller holds queued messages in the same transaction.
 */
export async function catchUp(tx: Tx, known: number): Promise<{ progress: number; isOutdated: boolean }> {
  const progress = await readProgress(tx)
  const isOutdated = progress < known
  if (isOutdated) await setProgress(tx, known)
  return { progress: Math.max(progress, known), isOutdated }
}

/** Sets the progress of the database, as one number. */
export async function setProgress(tx: Tx, progress: number): Promise<void> {
  await tx.updateTable('instance').set({ progress }).where('id', '=', 1).execute()
  await tx.deleteFrom('node_progress').execute()
}
