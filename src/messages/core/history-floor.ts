import { dayMs } from '../../runtime/clock.ts'
import { databaseTime, isShared } from '../../storage/seam/database-time.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { type Times, usualTimes } from '../../runtime/times.ts'

/**
 * Up to where pages of history were given out by any node. Units that write messages follow one another on all nodes, so one that reads it
 * knows of every page before it, and writes no time that lies below. 0 where one process writes: that one knows by itself.
 */
export async function readHistoryFloor(tx: Tx): Promise<number> {
  if (!isShared(tx)) return 0
  const [row] = await selectEach<{ history_until: number }>(tx, floorOfAll, [[1]])
  return row?.history_until ?? 0
}

const floorOfAll = { sql: 'select history_until from instance where id = :id', inputs: ['id'] } as const

/** The time that a unit writes: when it was asked for, or later if a page has passed by that. */
export const notBelow = async (tx: Tx, atMs: number): Promise<number> =>
  Math.max(atMs, await readHistoryFloor(tx))

/** The same of rows, once the floor is known. */
export const raisedTo = <T extends { atMs: number }>(floorMs: number, rows: readonly T[]): readonly T[] =>
  rows.every(({ atMs }) => atMs >= floorMs)
    ? rows
    : rows.map((row) => ({ ...row, atMs: Math.max(row.atMs, floorMs) }))

/**
 * Part of giving out a page while several nodes write: from the commit on nothing is written with a time below what this gives, and what was is
 * stored. Never beyond the time of the database, so that no node drives the others into the future.
 */
export async function raiseHistoryFloor(tx: Tx, toMs: number): Promise<number> {
  const clock = { now: () => toMs }
  const floor = await readHistoryFloor(tx)
  const raised = Math.max(floor, Math.min(toMs, await databaseTime(tx, clock)))
  if (raised > floor)
    await tx.updateTable('instance').set({ history_until: raised }).where('id', '=', 1).execute()
  return raised
}

/** One that was silent for so long has lost its connections, and with them what it was writing. */
const forgottenMs = dayMs

/**
 * Whether another node writes, or may come back from silence and end a write that it had begun; null when none does, else the database's time
 * at which that was true: whoever joins later writes nothing below it.
 */
export async function aloneSince(
  db: Db,
  epoch: number,
  { silenceMs }: Pick<Times, 'silenceMs'> = usualTimes,
): Promise<number | null> {
  const nowMs = await databaseTime(db, { now: () => 0 })
  const other = await db
    .selectFrom('nodes')
    .select('epoch')
    .where('epoch', '!=', epoch)
    .where('beat_at', '>', nowMs - forgottenMs)
    .where((is) =>
      is.or([is('left_at', 'is', null), is('beat_at', '<=', is(is.ref('left_at'), '-', silenceMs))]),
    )
    .limit(1)
    .executeTakeFirst()
  return other === undefined ? nowMs : null
}
