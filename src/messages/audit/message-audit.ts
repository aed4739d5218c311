import { sql } from 'kysely'
import { hourMs } from '../../runtime/clock.ts'
import { type AuditCheck, maxViolations, rowsOf, type Violation } from '../../ledger/ledger-audit.ts'
import { phoneReportsForMs } from '../phones/phone-recalls.ts'
import { planChecks } from './plan-audit.ts'
import { purseChecks } from './purse-audit.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { lastOfLanes, timeOfNumber } from '../core/change-number.ts'
import { trafficChecks } from './traffic-audit.ts'

/**
 * Invariants between messages, their cost, the queue and the attempts. Each check reads its tables once or
 * twice from end to end; none may join two large tables in a nested loop (`test/ledger/audit-plans.test.ts`).
 */
export const messageChecks: readonly AuditCheck[] = [
  {
    name: 'wallets_are_messages',
    summary:
      'The reserved amount of each wallet is the sum of the holds of its messages; its usage is the sum of their charges, with archived ones. So is what own devices carried for nothing.',
    find: (db) => rowsOf(db, walletsAreNotMessages),
  },
  {
    name: 'costs_are_consistent',
    summary: 'The hold and the charge of each message match the state of its cost and its status.',
    find: (db) => rowsOf(db, inconsistentCosts),
  },
  {
    name: 'totals_are_queue',
    summary: 'The counters of queued and scheduled messages are the sums of their rows.',
    find: (db) => rowsOf(db, totalsAreNotQueue),
  },
  {
    name: 'waiting_is_queued',
    summary:
      'Every message that is not yet sent is in one place: in the queue, among those with a start time, or in an open attempt. No other message is.',
    find: (db) => rowsOf(db, waitingIsNotQueued),
  },
  {
    name: 'routes_are_ways',
    summary: 'Every message that waits on a way of a rule names it in its route, and the way is stored.',
    find: (db) => rowsOf(db, routesAreNotWays),
  },
  {
    name: 'scheduled_is_deferred',
    summary: 'Scheduled messages wait for their send time; other messages with a start time are queued.',
    find: (db) => rowsOf(db, scheduledIsNotDeferred),
  },
  {
    name: 'nothing_overdue',
    summary: 'No message is past the time by which it must be final, except those that a restore holds.',
    find: (db, { nowMs, receiptWindowMs }) => rowsOf(db, overdue(nowMs, receiptWindowMs)),
  },
  {
    name: 'final_has_time',
    summary: 'Exactly the final messages have a final time.',
    find: (db) => rowsOf(db, finalWithoutTime),
  },
  {
    name: 'changes_are_numbered',
    summary: 'No message changed after the last unit that took a number: `updated_after` misses none.',
    find: changedWithoutNumber,
  },
  {
    name: 'receipts_have_messages',
    summary:
      'Every expected receipt belongs to a submitted message (an expired one can outlive the record of its message).',
    find: (db) => rowsOf(db, receiptsWithoutMessage),
  },
  {
    name: 'offers_are_attempts',
    summary:
      'Every open offer to a phone is an open attempt of its device, and every open attempt of a phone was offered to it.',
    find: (db) => rowsOf(db, offersAreNotAttempts),
  },
  ...purseChecks,
  ...trafficChecks,
  ...planChecks,
  {
    name: 'deliveries_have_events',
    summary: 'Every open delivery has its event, and an endpoint of the same account.',
    find: (db) => rowsOf(db, openWithoutEvent),
  },
]

const walletsAreNotMessages = sql<Violation>`
  select account_id, mode, paid_by, sum(reserved) as reserved, sum(held) as held, sum(used) as used, sum(charged) as charged, sum(wallets) as wallets
  from (
    select account_id, mode, 'balance' as paid_by, reserved, 0 as held, used, used_archived as charged, 1 as wallets from wallets
    union all
    select account_id, mode, 'own_device', own_reserved, 0, own_used, own_used_archived, 1 from wallets
    union all
    select account_id, mode, paid_by, 0, case when cost_state = 'held' then held else 0 end, 0, charged, 0 from messages) as both_sides
  group by account_id, mode, paid_by having sum(reserved) <> sum(held) or sum(used) <> sum(charged) or sum(wallets) <> 1
  limit ${maxViolations}`

const inconsistentCosts = sql<Violation>`
  select account_id, mode, id, status, cost_state, parts, held, charged from messages
  where (direction = 'inbound') <> (status = 'received')
    or (direction = 'inbound' and (cost_state <> 'none' or held <> 0 or charged <> 0))
    or (direction = 'outbound' and (cost_state = 'none' or held <> parts))
    or (cost_state = 'held') <> (status in ('scheduled', 'queued'))
    or status = 'sending'
    or (cost_state = 'held' and charged <> 0)
    or (cost_state = 'charged' and charged <> held)
    or (cost_state = 'partial' and (charged <= 0 or charged >= held))
    or (cost_state = 'released' and charged <> 0)
    or (corrected = 0 and cost_state <> 'charged' and status in ('sent', 'delivered', 'undelivered'))
    or (corrected = 0 and cost_state <> 'released' and status in ('expired', 'canceled'))
  limit ${maxViolations}`

const totalsAreNotQueue = sql<Violation>`
  select account_id, mode, route_key, sum(counted) as counted, sum(messages) as messages, sum(counted_parts) as counted_parts, sum(parts) as parts
  from (
    select account_id, mode, route_key, messages as counted, 0 as messages, parts as counted_parts, 0 as parts from queue_totals
    union all
    select account_id, mode, route_key, 0, 1, 0, parts from queue
    union all
    select account_id, mode, reason, messages, 0, parts, 0 from deferred_totals
    union all
    select account_id, mode, reason, 0, 1, 0, parts from deferred) as both_sides
  group by account_id, mode, route_key having sum(counted) <> sum(messages) or sum(counted_parts) <> sum(parts)
  limit ${maxViolations}`

/**
 * A message that waits is in the queue or among the deferred, or has an open attempt, and in one of these alone. An earlier
 * attempt can end it while the last one is open.
 */
const waitingIsNotQueued = sql<Violation>`
  select account_id, mode, id, sum(waiting) as waiting, sum(queued) as queue_rows, sum(open) as open_attempts,
    sum(message_parts) as parts, sum(queue_parts) as queue_parts
  from (
    select account_id, mode, id, 1 as waiting, 0 as queued, 0 as open, parts as message_parts, 0 as queue_parts
    from messages where status in ('scheduled', 'queued')
    union all
    select account_id, mode, message_id, 0, 1, 0, 0, parts from queue
    union all
    select account_id, mode, message_id, 0, 1, 0, 0, parts from deferred
    union all
    select account_id, mode, message_id, 0, 0, 1, 0, 0 from attempts where ended_at is null) as all_places
  group by account_id, mode, id
  having sum(queued) + sum(open) > 1 or sum(waiting) > sum(queued) + sum(open) or sum(queued) > sum(waiting)
    or (sum(queued) = 1 and sum(message_parts) <> sum(queue_parts))
    or (sum(open) = 1 and sum(waiting) = 0 and not exists (
      select 1 from messages m where m.account_id = all_places.account_id and m.mode = all_places.mode and m.id = all_places.id
        and m.finalized_at is not null and m.attempts > 1))
  limit ${maxViolations}`

/** A device that the sender chose is a way by its ID alone. */
const routesAreNotWays = sql<Violation>`
  select m.account_id, m.mode, m.id, q.route_key, m.way
  from (
    select account_id, mode, message_id, route_key from queue
    union all
    select account_id, mode, message_id, route_key from deferred
    union all
    select account_id, mode, message_id, route_key from attempts where ended_at is null and route_key is not null) as q
  join messages m on m.account_id = q.account_id and m.mode = q.mode and m.id = q.message_id
  where m.way is not null and (q.route_key not like '%~' || m.way || '%'
    or (m.way not like 'dev_%' and not exists (select 1 from ways w where w.id = m.way)))
  limit ${maxViolations}`

/**
 * A scheduled message wakes at its send time; a delayed message is in only one place and has another status.
 */
const scheduledIsNotDeferred = sql<Violation>`
  select account_id, mode, id, sum(scheduled) as scheduled, sum(deferred) as deferred, sum(send_at) as send_at, sum(wake_at) as wake_at
  from (
    select account_id, mode, id, 1 as scheduled, 0 as deferred, coalesce(send_at, 0) as send_at, 0 as wake_at
    from messages where status = 'scheduled'
    union all
    select account_id, mode, message_id, 0, 1, 0, wake_at from deferred where reason = 'scheduled') as both_sides
  group by account_id, mode, id having sum(scheduled) <> 1 or sum(deferred) <> 1 or sum(send_at) <> sum(wake_at)
  limit ${maxViolations}`

const overdue = (nowMs: number, receiptWindowMs: number) => sql<Violation>`
  select account_id, mode, id, max(status) as status, max(expires_at) as expires_at, max(sent_at) as sent_at
  from (
    select account_id, mode, id, status, expires_at, sent_at, 1 as late, 0 as restore_hold from messages
    where finalized_at is null
      and ((status in ('scheduled', 'queued') and expires_at < ${nowMs - phoneReportsForMs})
        or (status = 'sent' and sent_at < ${nowMs - receiptWindowMs - hourMs}))
    union all
    select account_id, mode, message_id, null, null, null, 0, 1 from queue where restore_hold = 1
    union all
    select account_id, mode, message_id, null, null, null, 0, 1 from deferred where restore_hold = 1
    union all
    select account_id, mode, message_id, null, null, null, 0, 1 from attempts where ended_at is null and restore_hold = 1) as both_sides
  group by account_id, mode, id having sum(late) > 0 and sum(restore_hold) = 0
  limit ${maxViolations}`

const finalWithoutTime = sql<Violation>`
  select account_id, mode, id, status, receipt_expected, finalized_at, settled_at from messages
  where (finalized_at is null) <> (
      status in ('scheduled', 'queued') or (status = 'sent' and corrected = 0 and coalesce(receipt_expected, 0) = 1))
    or (finalized_at is null) <> (settled_at is null)
  limit ${maxViolations}`

/** The last change of each account must not be after the last number of its lane. The lanes are read last: they only grow. */
async function changedWithoutNumber(db: Db): Promise<Violation[]> {
  const { rows } = await sql<{ account_id: string; mode: string; updated_at: number }>`
    select account_id, mode, max(updated_at) as updated_at from messages group by account_id, mode`.execute(
    db,
  )
  const lanes = await db.selectFrom('change_lanes').selectAll().execute()
  const lastOf = lastOfLanes(lanes)
  return rows
    .map((row) => ({ ...row, last_change: lastOf(row.account_id) }))
    .filter(({ updated_at, last_change }) => updated_at > timeOfNumber(last_change))
    .slice(0, maxViolations)
}

const receiptsWithoutMessage = sql<Violation>`
  select r.network_id, r.device_id, r.account_id, r.mode, r.message_id as id, m.status, m.attempts
  from receipts_expected r left join messages m on m.account_id = r.account_id and m.mode = r.mode and m.id = r.message_id
  where (m.id is null and r.closed_at is null) or m.attempts < r.attempt_number
  limit ${maxViolations}`

/** Between a restore and the end of what it left open, an open attempt can have a closed offer. */
const offersAreNotAttempts = sql<Violation>`
  select account_id, mode, message_id as id, device_id, attempt_id, sum(open_offers) as open_offers, sum(offers) as offers, sum(attempts) as open_attempts
  from (
    select account_id, mode, message_id, device_id, attempt_id, case when closed_at is null then 1 else 0 end as open_offers, 1 as offers,
      0 as attempts
    from phone_offers
    union all
    select account_id, mode, message_id, device_id, id, 0, 0, 1 from attempts
    where ended_at is null and device_id in (select device_id from phones)) as both_sides
  group by account_id, mode, message_id, device_id, attempt_id
  having (sum(open_offers) > 0 and sum(attempts) = 0) or (sum(attempts) > 0 and sum(offers) = 0)
  limit ${maxViolations}`

const openWithoutEvent = sql<Violation>`
  select d.account_id, d.endpoint_id, d.event_id from webhook_deliveries d
  left join webhook_events v on v.account_id = d.account_id and v.id = d.event_id
  left join webhook_endpoints w on w.account_id = d.account_id and w.id = d.endpoint_id
  where d.closed_at is null and (v.id is null or w.id is null)
  limit ${maxViolations}`
