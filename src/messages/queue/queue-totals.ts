import { sql } from 'kysely'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'

export const queueTotalShape = {
  key: ['account_id', 'mode', 'route_key'],
  amounts: ['messages', 'parts'],
  lowest: ['next_expiry_at'],
} as const

/** Returns how many parts of an account are queued in a mode, from the counters. */
export async function readWaitingParts(db: Db, name: { accountId: string; mode: Mode }): Promise<number> {
  const { parts } = await db
    .selectFrom('queue_totals')
    .select(sql<number>`cast(coalesce(sum(parts), 0) as bigint)`.as('parts'))
    .where('account_id', '=', name.accountId)
    .where('mode', '=', name.mode)
    .executeTakeFirstOrThrow()
  return parts
}

/**
 * Returns when the oldest queued message of all accounts was due; null with an empty queue. Takes one step
 * into the queue for each route, account and priority (0 to 2), regardless of its length.
 */
export async function readOldestDue(db: Db): Promise<number | null> {
  const { rows } = await sql<{ at: number | null }>`
    select min(first.due_at) as at from (
      select (select q.due_at from queue q
              where q.route_key = t.route_key and q.account_id = t.account_id and q.priority = p.priority
              order by q.due_at limit 1) as due_at
      from queue_totals t cross join (select 0 as priority union all select 1 union all select 2) p
      where t.messages > 0) first`.execute(db)
  return rows[0]?.at ?? null
}
