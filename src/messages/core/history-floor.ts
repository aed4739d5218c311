import { dayMs } from '../../runtime/clock.ts'
import { databaseTime, isShared } from '../../storage/seam/database-time.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { type Times, usualTimes } from '../../runtime/times.ts'

/**
 * The time up to which any node has returned pages of history. On all nodes, units that write messages run
 * one after another. A unit that reads the floor therefore knows of every earlier page, and writes no time
 * below it. Returns 0 when only one process writes: that process keeps its own floor.
 */
export async function readHistoryFloor(tx: Tx): Promise<number> {
  if (!isShared(tx)) return 0
  const [row] = await selectEach<{ history_until: number }>(tx, floorOfAll, [[1]])
  return row?.history_until ?? 0
}

const floorOfAll = { sql: 'select history_until from instance where id = :id', inputs: ['id'] } as const

/** Returns the time that a unit writes: the requested time, or the floor where that is later. */
export const notBelow = async (tx: Tx, atMs: number): Promise<number> =>
  Math.max(atMs, await readHistoryFloor(tx))

/** Raises the times of rows to a floor that is already known. */
export const raisedTo = <T extends { atMs: number }>(floorMs: number, rows: readonly T[]): readonly T[] =>
  rows.every(({ atMs }) => atMs >= floorMs)
    ? rows
    : rows.map((row) => ({ ...row, atMs: Math.max(row.atMs, floorMs) }))

/**
 * Raises the floor before a page is returned while several nodes write. After the commit no unit writes a
 * time below the result, and every earlier write is stored. The floor never exceeds the time of the database,
 * so that no node moves the others into the future.
 */
export async function raiseHistoryFloor(tx: Tx, toMs: number): Promise<number> {
  const clock = { now: () => toMs }
  const floor = await readHistoryFloor(tx)
  const raised = Math.max(floor, Math.min(toMs, await databaseTime(tx, clock)))
  if (raised > floor)
    await tx.updateTable('instance').set({ history_until: raised }).where('id', '=', 1).execute()
  return raised
}

/** A node that was silent for this long has lost its connections, and with them its unfinished writes. */
const forgottenMs = dayMs

/**
 * Returns null while another node writes, or can still return from silence and finish a write. Otherwise
 * returns the database's time at which no other node did: a node that joins later writes nothing below it.
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
