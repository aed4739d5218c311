import { sql } from 'kysely'
import type { Db } from '../storage/seam/dialect.ts'

/**
 * Counts deliveries that wait for an attempt, up to `most`: open ones of enabled endpoints of accounts that
 * are not closed. No other delivery is attempted. Steps from one endpoint to the next as `readDueEndpoints`
 * does, and reads at most `most` of each. Without an order PostgreSQL would read all stored deliveries.
 */
export async function countWaiting(read: Db, most: number): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    with recursive e (endpoint_id, waiting) as (
      select (select d.endpoint_id from webhook_deliveries d where d.closed_at is null order by d.endpoint_id limit 1), cast(0 as bigint)
      union all
      select
        (select d.endpoint_id from webhook_deliveries d where d.closed_at is null and d.endpoint_id > e.endpoint_id
         order by d.endpoint_id limit 1),
        e.waiting + case
          when (select a.state from accounts a where a.id = (
            select w.account_id from webhook_endpoints w where w.id = e.endpoint_id and w.state = 'enabled')) <> 'closed'
          then (select count(*) from (
            select 1 from webhook_deliveries d where d.endpoint_id = e.endpoint_id and d.closed_at is null
            order by d.due_at limit ${most}) o)
          else 0 end
      from e where e.endpoint_id is not null and e.waiting < ${most}
    )
    select max(waiting) as waiting from e`.execute(read)
  return Math.min(most, rows[0]?.waiting ?? 0)
}
