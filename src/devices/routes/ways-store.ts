import { sql } from 'kysely'
import { allDone } from '../../runtime/all-done.ts'
import { dayMs } from '../../runtime/clock.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
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
 * Stores ways with the messages that have them: each transaction that gives a message a way calls it. One that is stored
 * already stays, because its ID says what is in it, and is noted as used at the time of the change, so that it is kept (`unusedWayRemover`).
 */
export const storeWays = (
  tx: Tx,
  holders: readonly { ways?: readonly WrittenWay[] }[],
  { atMs }: { atMs: number },
): Promise<unknown> =>
  allDone(
    [...new Map(holders.flatMap(({ ways = [] }) => ways).map((way) => [way.id, way])).values()].map(({ id, text }) =>
      sql`insert into ways (id, stages, created_at, used_at) values (${id}, ${text}, ${atMs}, ${atMs})
        on conflict (id) do update set used_at = excluded.used_at where ways.used_at is null or ways.used_at < excluded.used_at - ${usesWithinMs}`.execute(tx),
    ),
  ) // prettier-ignore

/** Reads these ways by their IDs; unknown ones are omitted. */
export async function readWays(db: Db | Tx, ids: readonly string[]): Promise<Map<string, Way>> {
  const rows = await selectEach<{ id: string; stages: JsonText<WayJson> }>(
    db,
    { sql: 'select id, stages from ways where id = :id', inputs: ['id'] },
    ids.map((id) => [id]),
  )
  return new Map(rows.map(({ id, stages }) => [id, readJson(stages)]))
}
