import { sql } from 'kysely'
import type { Db } from '../storage/seam/dialect.ts'
import type { Mode } from '../storage/tables/schema.ts'

/** The position of an idempotency key in the order of age. */
export interface OldKey {
  account_id: string
  mode: Mode
  key: string
  created_at: number
}

/**
 * Reads idempotency keys created up to `upToMs`, oldest first, after `after`. A key is needed while a message
 * of its send is not final.
 */
export async function readOldKeys(
  db: Db,
  after: Omit<OldKey, 'mode'> & { mode: string },
  upToMs: number,
  most: number,
): Promise<(OldKey & { is_needed: 0 | 1 })[]> {
  const { rows } = await sql<OldKey & { is_needed: 0 | 1 }>`
    select k.account_id, k.mode, k.key, k.created_at, case when exists (
        select 1 from sends s cross join messages m
        where s.account_id = k.account_id and s.id = k.send_id and m.account_id = s.account_id and m.mode = s.mode
          and m.id between s.first_message_id and s.last_message_id and m.finalized_at is null
      ) or exists (
        select 1 from messages m where m.account_id = k.account_id and m.mode = k.mode and m.id = 'msg_' || substr(k.send_id, 5)
          and m.send_id = k.send_id and m.finalized_at is null
      ) then 1 else 0 end as is_needed
    from idempotency_keys k
    where k.created_at <= ${upToMs}
      and (k.created_at, k.account_id, k.mode, k.key) > (${after.created_at}, ${after.account_id}, ${after.mode}, ${after.key})
    order by k.created_at, k.account_id, k.mode, k.key limit ${most}`.execute(db)
  return rows
}
