import { sql } from 'kysely'
import type { Db } from '../../storage/seam/dialect.ts'

/**
 * Returns since when devices have not worked, by the reports about them: of those that do not work now. 0: never since the
 * history of the device begins.
 */
export async function readOffSince(db: Db): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ device_id: string; since: number }>`
    select s.device_id, coalesce((select w.until_at from device_states w
        where w.device_id = s.device_id and (w.status = 'online' or w.status = 'degraded') order by w.from_at desc limit 1), 0) as since
    from device_states s where s.until_at is null and s.status <> 'online' and s.status <> 'degraded'`.execute(
    db,
  )
  return new Map(rows.map(({ device_id, since }) => [device_id, since]))
}
