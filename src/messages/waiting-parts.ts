import { sql } from 'kysely'
import type { Db } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'

/** How many parts of an account wait in a mode, from the counters. */
export async function readWaitingParts(db: Db, name: { accountId: string; mode: Mode }): Promise<number> {
  const { parts } = await db
    .selectFrom('queue_totals')
    .select(sql<number>`cast(coalesce(sum(parts), 0) as bigint)`.as('parts'))
    .where('account_id', '=', name.accountId)
    .where('mode', '=', name.mode)
    .executeTakeFirstOrThrow()
  return parts
}
