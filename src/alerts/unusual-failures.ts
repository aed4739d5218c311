import { type RawBuilder, sql } from 'kysely'
import { dayMs, hourMs } from '../runtime/clock.ts'
import { grainMs } from '../messages/core/traffic.ts'
import type { Db } from '../storage/seam/dialect.ts'
import { alertKey, type AlertRule, type Condition } from './condition.ts'
import { idsAmong, subjectsOf } from './resolved-subjects.ts'

/** Of the messages that came to an end. */
export interface FailureCount {
  failed: number
  ended: number
}

/** A share of failures below this is usual whatever was before: numbers get old. */
const minShare = 0.2
/** How much more often than usual, and by how much in all, so that neither 1 % after 0.3 % nor 60 % after 55 % is news. */
const timesUsual = 2
const aboveUsual = 0.1
/** What lasts ends at three quarters of what it began with, so that it does not come and go at the border. */
const untilShare = 0.75

/** Whether so many failures are unusual; `lasts` where they were so far. */
export function isUnusual(
  now: FailureCount,
  usual: FailureCount,
  { minFailures, lasts }: { minFailures: number; lasts: boolean },
): boolean {
  if (minFailures === 0 || now.ended === 0) return false
  const ease = lasts ? untilShare : 1
  return now.failed >= minFailures * ease && now.failed / now.ended >= borderOf(usual) * ease
}

/** Whether messages went as usual again: where none ended nobody knows, and few that all failed are not well. */
const isUsualAgain = (now: FailureCount, usual: FailureCount): boolean =>
  now.ended > 0 && now.failed / now.ended < borderOf(usual) * untilShare

/** The share of failures from which it is unusual. */
function borderOf(usual: FailureCount): number {
  const usualShare = usual.ended === 0 ? 0 : usual.failed / usual.ended
  return Math.min(0.95, Math.max(minShare, usualShare * timesUsual, usualShare + aboveUsual))
}

interface Row {
  account_id: string
  name: string
  failed: number
  ended: number
  usual_failed: number
  usual_ended: number
}

/** Accounts of whose live messages of the last hour more failed than in the week before. Five minutes are counted as they are stored. */
export const unusualFailures = (minFailures: number): AlertRule => ({
  kinds: ['unusual_failures'],
  everyMs: grainMs.minutes5,
  async find(db, nowMs, open) {
    if (minFailures === 0) return []
    const rows = await readCounts(db, nowMs, sql`failed >= ${minFailures * untilShare}`)
    return rows.flatMap((row): Condition[] => {
      const about = { kind: 'unusual_failures', subject: row.account_id } as const
      if (!isUnusual(row, usualOf(row), { minFailures, lasts: open.has(alertKey(about)) })) return []
      return [
        {
          ...about,
          accountId: row.account_id,
          mode: 'live',
          name: row.name,
          said: `${row.failed} of ${row.ended} messages of the last hour failed, were not delivered or expired (${percent(row)}); in the week before it were ${percent(usualOf(row))}. History shows them with their errors.`,
          event: { type: 'failures.unusual', facts: factsOf(row) },
        },
      ]
    })
  },
  async findRecovered(db, ended, nowMs) {
    const rows = await readCounts(db, nowMs, sql`account_id in (${sql.join(subjectsOf(ended))})`)
    const usual = rows.filter((row) => isUsualAgain(row, usualOf(row)))
    return idsAmong(
      ended,
      usual.map((row) => ({ id: row.account_id })),
    )
  },
})

/** Of the last hour, and of the week before it. */
const factsOf = (row: Row) => ({
  failed: row.failed,
  ended: row.ended,
  usual_failed: row.usual_failed,
  usual_ended: row.usual_ended,
})

const usualOf = (row: Row): FailureCount => ({ failed: row.usual_failed, ended: row.usual_ended })

const percent = ({ failed, ended }: FailureCount): string =>
  ended === 0 ? 'none' : `${Math.round((failed / ended) * 100)}%`

const failed = sql.raw('failed + undelivered + expired')
const ended = sql.raw('failed + undelivered + expired + sent + delivered + unconfirmed')

/** By the primary key of the counts, account by account: an index by time would cost every count a second write. */
async function readCounts(db: Db, nowMs: number, which: RawBuilder<unknown>): Promise<Row[]> {
  const fromHour = nowMs - hourMs - (nowMs % grainMs.minutes5)
  const toWeek = nowMs - hourMs - (nowMs % grainMs.hours6)
  const of = (sum: typeof failed, grain: 'minutes5' | 'hours6', from: number, to: number) =>
    sql`(select cast(coalesce(sum(${sum}), 0) as bigint) from traffic t
      where t.account_id = a.id and t.mode = 'live' and t.grain = ${grain} and t.bucket >= ${from} and t.bucket < ${to})`
  const { rows } = await sql<Row>`
    select * from (
      select a.id as account_id, a.name,
        ${of(failed, 'minutes5', fromHour, nowMs + 1)} as failed,
        ${of(ended, 'minutes5', fromHour, nowMs + 1)} as ended,
        ${of(failed, 'hours6', toWeek - 7 * dayMs, toWeek)} as usual_failed,
        ${of(ended, 'hours6', toWeek - 7 * dayMs, toWeek)} as usual_ended
      from accounts a where a.state = 'active') counts
    where ${which}`.execute(db)
  return rows
}
