import { type RawBuilder, sql } from 'kysely'
import { dayMs, hourMs } from '../runtime/clock.ts'
import { grainMs } from '../messages/core/traffic.ts'
import type { Db } from '../storage/seam/dialect.ts'
import { alertKey, type AlertRule, type Condition } from './condition.ts'
import { idsAmong, subjectsOf } from './resolved-subjects.ts'

/** Counts of final messages. */
export interface FailureCount {
  failed: number
  ended: number
}

/** A lower failure rate is always normal: numbers become invalid over time. */
const minShare = 0.2
/**
 * Minimum factor over the usual rate, and minimum difference: neither 1% after 0.3% nor 60% after 55% is
 * reported.
 */
const timesUsual = 2
const aboveUsual = 0.1
/** An open alert ends at three quarters of its start threshold, so that it does not flap at the threshold. */
const untilShare = 0.75

/** Returns whether the failures are unusual; `lasts` when they already were. */
export function isUnusual(
  now: FailureCount,
  usual: FailureCount,
  { minFailures, lasts }: { minFailures: number; lasts: boolean },
): boolean {
  if (minFailures === 0 || now.ended === 0) return false
  const ease = lasts ? untilShare : 1
  return now.failed >= minFailures * ease && now.failed / now.ended >= thresholdOf(usual) * ease
}

/**
 * Returns whether the failure rate is normal again. Without final messages that is unknown, and a few that
 * all failed are no recovery.
 */
const isUsualAgain = (now: FailureCount, usual: FailureCount): boolean =>
  now.ended > 0 && now.failed / now.ended < thresholdOf(usual) * untilShare

/** Returns the failure rate from which it is unusual. */
function thresholdOf(usual: FailureCount): number {
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

/**
 * Accounts whose live messages of the last hour failed more often than in the week before. Counts have a
 * resolution of five minutes, as stored.
 */
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
          said: `${row.failed} of ${row.ended} messages in the last hour failed, were not delivered or expired (${percent(row)}), compared with ${percent(usualOf(row))} in the week before. See the history for their errors.`,
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

/** Counts of the last hour and of the week before. */
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

/**
 * Reads the counts by primary key, account by account: an index by time would cost each count a second write.
 */
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
