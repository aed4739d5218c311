import { type RawBuilder, sql } from 'kysely'
import { dayMs } from '../../runtime/clock.ts'
import { type AuditCheck, maxViolations, rowsOf, type Violation } from '../../ledger/ledger-audit.ts'
import { countedStates, minTrafficDays, grainMs, minutes5Days } from '../core/traffic.ts'

/**
 * Invariants between messages and the counts of traffic. Each check reads its tables from end to end; both
 * sides are summed, never joined.
 */
export const trafficChecks: readonly AuditCheck[] = [
  {
    name: 'traffic_is_messages',
    summary: `For each six hours of the last ${minTrafficDays} days, the counts equal the messages by status, including those that retention removed.`,
    find: (db, { nowMs }) => rowsOf(db, countsAreNotMessages(nowMs - minTrafficDays * dayMs)),
  },
  {
    name: 'traffic_grains_agree',
    summary:
      'The five-minute counts sum to those of their six hours, and as many delivery times are counted as delivered messages.',
    find: (db, { nowMs }) => rowsOf(db, grainsDisagree(firstWholeSixHours(nowMs - minutes5Days * dayMs))),
  },
]

/** The six hours of the oldest five-minute counts are partly purged. */
const firstWholeSixHours = (fromMs: number): number => Math.ceil(fromMs / grainMs.hours6 + 1) * grainMs.hours6

const sums = (terms: readonly RawBuilder<unknown>[], separator: string) => sql.join(terms, sql.raw(separator))
const sixHoursOf = (column: 'created_at' | 'bucket') => sql.raw(`${column} - ${column} % ${grainMs.hours6}`)

/** A count can exceed the messages by the archived ones, whose status is no longer known. */
const countsAreNotMessages = (fromMs: number) => {
  const states = ['received', ...countedStates] as const
  const counted = states.map((state) => sql.raw(`${state} as ${state}`))
  const found = states.map((state) => sql`case when status = ${sql.lit(state)} then -1 else 0 end`)
  const falls = [...states, 'waiting'].map((state) => sql.raw(`sum(${state}) < 0`))
  return sql<Violation>`
  select account_id, mode, bucket, sum(counted) as counted, sum(messages) as messages, ${sums(
    [...states, 'waiting'].map((state) => sql.raw(`sum(${state}) as ${state}_beyond`)),
    ', ',
  )}
  from (
    select account_id, mode, bucket, accepted + received - archived as counted, 0 as messages, ${sums(counted, ', ')},
      accepted - (${sql.raw(countedStates.join(' + '))}) as waiting
    from traffic where grain = 'hours6' and bucket >= ${fromMs}
    union all
    select account_id, mode, ${sixHoursOf('created_at')}, 0, 1, ${sums(found, ', ')},
      case when status in ('scheduled', 'queued') then -1 else 0 end
    from messages where ${sixHoursOf('created_at')} >= ${fromMs}) as both_sides
  group by account_id, mode, bucket having sum(counted) <> sum(messages) or ${sums(falls, ' or ')}
  limit ${maxViolations}`
}

const grainsDisagree = (fromMs: number) => {
  const counters = ['accepted', 'received', ...countedStates] as const
  const signed = counters.map((counter) =>
    sql.raw(`case when grain = 'hours6' then ${counter} else -${counter} end as ${counter}`),
  )
  const differ = [...counters, 'times', 'delivered_times'].map((counter) => sql.raw(`sum(${counter}) <> 0`))
  return sql<Violation>`
  select account_id, mode, bucket, ${sums(
    [...counters, 'times', 'delivered_times'].map((counter) =>
      sql.raw(`sum(${counter}) as ${counter}_apart`),
    ),
    ', ',
  )}
  from (
    select account_id, mode, ${sixHoursOf('bucket')} as bucket, ${sums(signed, ', ')}, 0 as times,
      case when grain = 'hours6' then delivered else 0 end as delivered_times
    from traffic where bucket >= ${fromMs}
    union all
    select account_id, mode, ${sixHoursOf('bucket')}, ${sums(
      counters.map(() => sql`0`),
      ', ',
    )}, case when grain = 'hours6' then messages * (step + 1) else -messages * (step + 1) end,
      case when grain = 'hours6' and measure = 'to_delivered' then -messages else 0 end
    from traffic_times where bucket >= ${fromMs}) as both_sides
  group by account_id, mode, bucket having ${sums(differ, ' or ')}
  limit ${maxViolations}`
}
