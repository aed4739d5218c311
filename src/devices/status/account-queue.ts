import { sql, type SqlBool } from 'kysely'
import type { Db } from '../../storage/seam/dialect.ts'
import type { DeferReason, Mode } from '../../storage/tables/schema.ts'

interface Wallet {
  accountId: string
  mode: Mode
}

/**
 * Reads what is queued, from the counters, and when the oldest of it was accepted: the first of each queue in
 * its own order.
 */
export async function readQueue(db: Db, { accountId, mode }: Wallet) {
  const [deferred, totals, oldest] = await Promise.all([
    readDeferredTotals(db, { accountId, mode }),
    db
      .selectFrom('queue_totals')
      .select([
        sql<number>`cast(coalesce(sum(messages), 0) as bigint)`.as('messages'),
        sql<number>`cast(coalesce(sum(parts), 0) as bigint)`.as('parts'),
      ])
      .where('account_id', '=', accountId)
      .where('mode', '=', mode)
      .executeTakeFirstOrThrow(),
    sql<{ at: number | null }>`
      select min((
        select m.created_at from queue q cross join messages m on m.account_id = q.account_id and m.mode = q.mode and m.id = q.message_id
        where q.route_key = t.route_key and q.account_id = t.account_id and q.priority = p.priority
        order by q.due_at, q.message_id limit 1
      )) as at
      from queue_totals t cross join (select 0 as priority union all select 1 union all select 2) p
      where t.account_id = ${accountId} and t.mode = ${mode} and t.messages > 0`.execute(db),
  ])
  return {
    // Messages that wait for the end of quiet hours are queued.
    messages: totals.messages + deferred.quiet.messages,
    parts: totals.parts + deferred.quiet.parts,
    messagesInQuiet: deferred.quiet.messages,
    scheduledMessages: deferred.scheduled.messages,
    oldestQueuedAtMs: oldest.rows[0]?.at ?? null,
  }
}

/** Reads what is scheduled or deferred, from the counters. */
async function readDeferredTotals(db: Db, { accountId, mode }: Wallet) {
  const rows = await db
    .selectFrom('deferred_totals')
    .select(['reason', 'messages', 'parts'])
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .execute()
  const of = (reason: DeferReason) => rows.find((row) => row.reason === reason) ?? { messages: 0, parts: 0 }
  return { scheduled: of('scheduled'), quiet: of('quiet_hours') }
}

/**
 * Counts the open attempts of the account, by device: never more than the windows of the devices. The account
 * is compared as an expression, because SQLite would otherwise use the primary key and read every attempt
 * ever made: 631 instead of 0.3 ms with a million.
 */
export async function readClaimed(db: Db, { accountId, mode }: Wallet): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('attempts')
    .select(({ fn }) => ['device_id', fn.countAll<number>().as('messages')])
    .where(sql<SqlBool>`account_id || '' = ${accountId}`)
    .where('mode', '=', mode)
    .where('ended_at', 'is', null)
    .groupBy('device_id')
    .execute()
  return new Map(rows.map((row) => [row.device_id, row.messages]))
}
