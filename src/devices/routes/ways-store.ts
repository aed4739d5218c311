import { dayMs } from '../../runtime/clock.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { insertRows, selectEach, updateRows } from '../../storage/seam/sets.ts'
import { readJson, type JsonText } from '../../storage/tables/json-columns.ts'
import type { WayJson } from '../../storage/tables/route-tables.ts'
import type { Way } from './way.ts'

/** A way with the text that is stored of it (`wayText`). */
export interface WrittenWay {
  id: string
  text: string
}

/** The last use of a way was at most so long after the one that is noted: a busy way is written once a day. */
export const usesWithinMs = dayMs

/**
 * Stores ways with the messages that have them: each transaction that gives messages ways calls it. One that is stored already
 * stays, because its ID says what is in it, and is noted as used at the time of the change, so that it is kept (`unusedWayRemover`).
 * One whose use is noted within the day is only read: it cannot be removed before a change that is a day later.
 */
export async function storeWays(
  tx: Tx,
  holders: readonly { ways?: readonly WrittenWay[] }[],
  { atMs }: { atMs: number },
): Promise<void> {
  const texts = new Map(holders.flatMap(({ ways = [] }) => ways).map(({ id, text }) => [id, text]))
  // In one order for all nodes: they wait for one another, and never both ways.
  const ids = [...texts.keys()].toSorted()
  const stored = await selectEach<{ id: string; used_at: number | null }>(
    tx,
    usesOf,
    ids.map((id) => [id]),
  )
  const usedAt = new Map(stored.map((way) => [way.id, way.used_at ?? Number.NEGATIVE_INFINITY]))
  const due = ids.filter((id) => (usedAt.get(id) ?? Number.NEGATIVE_INFINITY) < atMs - usesWithinMs)
  const noted = due.filter((id) => usedAt.has(id)).map((id) => ({ id, used_at: atMs }))
  await updateRows(tx, 'ways', ['id'], noted)
  // Afterwards: also one that was removed since it was read.
  const missing = due.map((id) => ({
    id,
    stages: texts.get(id) as JsonText<WayJson>,
    created_at: atMs,
    used_at: atMs,
  }))
  await insertRows(tx, 'ways', missing, 'ignore')
}

const usesOf = {
  sql: 'select id, used_at from ways where id = :id',
  inputs: ['id'],
  few: true,
  // What has to be written, once a day, needs all lanes: accounts share their ways.
  lanes: 'fixed',
} as const

/** Reads these ways by their IDs; unknown ones are omitted. */
export async function readWays(db: Db | Tx, ids: readonly string[]): Promise<Map<string, Way>> {
  const rows = await selectEach<{ id: string; stages: JsonText<WayJson> }>(
    db,
    { sql: 'select id, stages from ways where id = :id', inputs: ['id'] },
    ids.map((id) => [id]),
  )
  return new Map(rows.map(({ id, stages }) => [id, readJson(stages)]))
}
