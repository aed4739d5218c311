import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { insertRows, selectEach } from '../../storage/seam/sets.ts'
import { readJson, type JsonText } from '../../storage/tables/json-columns.ts'
import type { WayJson } from '../../storage/tables/route-tables.ts'
import type { Way } from './way.ts'

/** A way with the text that is stored of it (`wayText`). */
export interface WrittenWay {
  id: string
  text: string
}

/** Stores ways with the messages that have them. One that is stored already stays: its ID says what is in it. */
export const storeWays = (
  tx: Tx,
  holders: readonly { ways?: readonly WrittenWay[] }[],
  { nowMs }: { nowMs: number },
): Promise<number> =>
  insertRows(
    tx,
    'ways',
    [...new Map(holders.flatMap(({ ways = [] }) => ways).map((way) => [way.id, way])).values()].map(
      ({ id, text }) => ({
        id,
        stages: text,
        created_at: nowMs,
      }),
    ),
    'ignore',
  )

/** Reads these ways by their IDs; unknown ones are omitted. */
export async function readWays(db: Db | Tx, ids: readonly string[]): Promise<Map<string, Way>> {
  const rows = await selectEach<{ id: string; stages: JsonText<WayJson> }>(
    db,
    { sql: 'select id, stages from ways where id = :id', inputs: ['id'] },
    ids.map((id) => [id]),
  )
  return new Map(rows.map(({ id, stages }) => [id, readJson(stages)]))
}
