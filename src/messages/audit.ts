import { sql } from 'kysely'
import { type AuditCheck, mostViolations, rowsOf, type Violation } from '../ledger/audit.ts'

/**
 * What must hold between messages, their money, the queue and the attempts. Each check reads its tables once or twice from end to
 * end; none may make a nested loop over two large ones (`test/accounts/audit-plans.test.ts`).
 */
export const messageChecks: readonly AuditCheck[] = [
  {
    name: 'wallets_are_messages',
    says: 'What each wallet reserved is what its messages hold; what it used is what they were charged and what was archived.',
    find: (db) => rowsOf(db, walletsAreNotMessages),
  },
  {
    name: 'costs_are_consistent',
    says: 'What a message holds and was charged agrees with the state of its cost and with its status.',
    find: (db) => rowsOf(db, inconsistentCosts),
  },
  {
    name: 'totals_are_queue',
    says: 'The counters of what waits are the sums of the queue.',
    find: (db) => rowsOf(db, totalsAreNotQueue),
  },
  {
    name: 'waiting_is_queued',
    says: 'Every message that waits or is being handed over stands in the queue once, and nothing else does.',
    find: async (db) =>
      [...(await rowsOf(db, waitingWithoutRow)), ...(await rowsOf(db, rowsWithoutWaiting))].slice(
        0,
        mostViolations,
      ),
  },
  {
    name: 'claims_are_attempts',
    says: 'Every claimed message has one open attempt, and every open attempt a claimed message.',
    find: async (db) =>
      [...(await rowsOf(db, claimsWithoutAttempt)), ...(await rowsOf(db, attemptsWithoutClaim))].slice(
        0,
        mostViolations,
      ),
  },
  {
    name: 'nothing_overdue',
    says: 'No message is past the time by which it must be final (but what a restore holds back).',
    find: (db, { nowMs, receiptWindowMs }) => rowsOf(db, overdue(nowMs, receiptWindowMs)),
  },
  {
    name: 'final_has_time',
    says: 'A message is final exactly when it has the time of it.',
    find: (db) => rowsOf(db, finalWithoutTime),
  },
  {
    name: 'receipts_have_messages',
    says: 'Every receipt that is waited for belongs to a message that has been handed over.',
    find: (db) => rowsOf(db, receiptsWithoutMessage),
  },
]

const hourMs = 3_600_000
/** A phone reports for 2 h 50 min after the end of a validity (api.md section 6). */
const reportGraceMs = 3 * hourMs

const walletsAreNotMessages = sql<Violation>`
  with sums as materialized (
    select account_id, mode, sum(case when cost_state = 'held' then held else 0 end) as held, sum(charged) as charged
    from messages group by account_id, mode)
  select w.account_id, w.mode, w.reserved, coalesce(s.held, 0) as held, w.used, coalesce(s.charged, 0) + w.used_archived as charged
  from wallets w left join sums s on s.account_id = w.account_id and s.mode = w.mode
  where w.reserved <> coalesce(s.held, 0) or w.used <> coalesce(s.charged, 0) + w.used_archived
  union all
  select s.account_id, s.mode, null, s.held, null, s.charged from sums s
  where not exists (select 1 from wallets w where w.account_id = s.account_id and w.mode = s.mode)
  limit ${mostViolations}`

const inconsistentCosts = sql<Violation>`
  select account_id, mode, id, status, cost_state, parts, held, charged from messages
  where (direction = 'inbound') <> (status = 'received')
    or (direction = 'inbound' and (cost_state <> 'none' or held <> 0 or charged <> 0))
    or (direction = 'outbound' and (cost_state = 'none' or held <> parts))
    or (cost_state = 'held') <> (status in ('scheduled', 'queued', 'sending'))
    or (cost_state = 'held' and charged <> 0)
    or (cost_state = 'charged' and charged <> held)
    or (cost_state = 'partial' and (charged <= 0 or charged >= held))
    or (cost_state = 'released' and charged <> 0)
    or (corrected = 0 and cost_state <> 'charged' and status in ('sent', 'delivered', 'undelivered'))
    or (corrected = 0 and cost_state <> 'released' and status in ('expired', 'canceled'))
  limit ${mostViolations}`

const totalsAreNotQueue = sql<Violation>`
  with sums as materialized (
    select account_id, mode, route_key, count(*) as messages, sum(parts) as parts
    from queue where claimed_by is null group by account_id, mode, route_key)
  select t.account_id, t.mode, t.route_key, t.messages as counted, t.parts as counted_parts,
    coalesce(s.messages, 0) as messages, coalesce(s.parts, 0) as parts
  from queue_totals t left join sums s on s.account_id = t.account_id and s.mode = t.mode and s.route_key = t.route_key
  where t.messages <> coalesce(s.messages, 0) or t.parts <> coalesce(s.parts, 0)
  union all
  select s.account_id, s.mode, s.route_key, null, null, s.messages, s.parts from sums s
  where not exists (
    select 1 from queue_totals t where t.account_id = s.account_id and t.mode = s.mode and t.route_key = s.route_key)
  limit ${mostViolations}`

const waitingWithoutRow = sql<Violation>`
  with places as materialized (
    select account_id, mode, message_id, count(*) as rows_found from queue group by account_id, mode, message_id)
  select m.account_id, m.mode, m.id, m.status, coalesce(p.rows_found, 0) as queue_rows
  from messages m left join places p on p.account_id = m.account_id and p.mode = m.mode and p.message_id = m.id
  where m.status in ('scheduled', 'queued', 'sending') and coalesce(p.rows_found, 0) <> 1
  limit ${mostViolations}`

const rowsWithoutWaiting = sql<Violation>`
  select q.account_id, q.mode, q.message_id as id, m.status, q.claimed_by, q.parts as queue_parts, m.parts
  from queue q left join messages m on m.account_id = q.account_id and m.mode = q.mode and m.id = q.message_id
  where m.id is null or m.parts <> q.parts
    or (q.claimed_by is null and m.status not in ('queued', 'scheduled'))
    or (q.claimed_by is not null and m.status <> 'sending')
  limit ${mostViolations}`

const claimsWithoutAttempt = sql<Violation>`
  select q.account_id, q.mode, q.message_id as id, q.claimed_by, a.device_id as attempt_device
  from queue q left join attempts a
    on a.account_id = q.account_id and a.mode = q.mode and a.message_id = q.message_id and a.ended_at is null
  where q.claimed_by is not null and (a.id is null or a.device_id <> q.claimed_by)
  limit ${mostViolations}`

const attemptsWithoutClaim = sql<Violation>`
  with claims as materialized (select account_id, mode, message_id from queue where claimed_by is not null)
  select a.account_id, a.mode, a.message_id as id, a.id as attempt_id, a.device_id
  from attempts a left join claims c on c.account_id = a.account_id and c.mode = a.mode and c.message_id = a.message_id
  where a.ended_at is null and c.message_id is null
  limit ${mostViolations}`

const overdue = (nowMs: number, receiptWindowMs: number) => sql<Violation>`
  with held as materialized (select account_id, mode, message_id from queue where restore_hold = 1)
  select m.account_id, m.mode, m.id, m.status, m.expires_at, m.sent_at
  from messages m left join held h on h.account_id = m.account_id and h.mode = m.mode and h.message_id = m.id
  where m.finalized_at is null and h.message_id is null
    and ((m.status in ('scheduled', 'queued', 'sending') and m.expires_at < ${nowMs - reportGraceMs})
      or (m.status = 'sent' and m.sent_at < ${nowMs - receiptWindowMs - hourMs}))
  limit ${mostViolations}`

const finalWithoutTime = sql<Violation>`
  select account_id, mode, id, status, receipt_expected, finalized_at, settled_at from messages
  where (finalized_at is null) <> (
      status in ('scheduled', 'queued', 'sending') or (status = 'sent' and corrected = 0 and coalesce(receipt_expected, 0) = 1))
    or (finalized_at is null) <> (settled_at is null)
  limit ${mostViolations}`

const receiptsWithoutMessage = sql<Violation>`
  select r.network_id, r.device_id, r.account_id, r.mode, r.message_id as id, m.status, m.attempts
  from receipts_expected r left join messages m on m.account_id = r.account_id and m.mode = r.mode and m.id = r.message_id
  where m.id is null or m.attempts < r.attempt_number
  limit ${mostViolations}`
