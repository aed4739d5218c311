import { sql } from 'kysely'
import type { Db } from '../storage/seam/dialect.ts'

/** An invariant of the stored data. */
export interface AuditCheck {
  name: string
  /** The invariant, as a sentence. */
  summary: string
  /** Returns the rows that violate it, at most `maxViolations`; none when it is valid. */
  find(db: Db, at: AuditTime): Promise<Violation[]>
}

export type Violation = Record<string, string | number | null>

export interface AuditTime {
  nowMs: number
  /** How long a receipt is expected. */
  receiptWindowMs: number
}

export const maxViolations = 20

/**
 * Checks the sums of the ledger itself (P4). Those that need messages are in messages/audit/message-audit.ts.
 */
export const ledgerChecks: readonly AuditCheck[] = [
  {
    name: 'granted_is_ledger',
    summary: 'The amount granted to each wallet is the sum of its ledger entries.',
    find: (db) => rowsOf(db, grantedIsNotLedger),
  },
  {
    name: 'used_is_usage',
    summary: 'The usage of each wallet is the sum of its daily usage.',
    find: (db) => rowsOf(db, usedIsNotUsage),
  },
  {
    name: 'wallets_in_bounds',
    summary: 'No wallet is below 0, and none has used and reserved more than was granted to it.',
    find: (db) => rowsOf(db, outOfBounds),
  },
  {
    name: 'accounts_have_wallets',
    summary: 'Every account has a wallet for each mode.',
    find: (db) => rowsOf(db, withoutWallet),
  },
]

export async function rowsOf(db: Db, query: ReturnType<typeof sql<Violation>>): Promise<Violation[]> {
  return (await query.execute(db)).rows
}

// Two sides are compared by summing them, one of them negative or in its own column, never by a join: that
// stays linear regardless of the table statistics.

const grantedIsNotLedger = sql<Violation>`
  select account_id, mode, sum(granted) as granted, sum(ledger) as ledger
  from (
    select account_id, mode, granted, 0 as ledger from wallets
    union all select account_id, mode, 0, sms from ledger_entries) as both_sides
  group by account_id, mode having sum(granted) <> sum(ledger)
  limit ${maxViolations}`

const usedIsNotUsage = sql<Violation>`
  select account_id, mode, sum(used) as used, sum(usage_days) as usage_days
  from (
    select account_id, mode, used, 0 as usage_days from wallets
    union all select account_id, mode, 0, parts from usage_days) as both_sides
  group by account_id, mode having sum(used) <> sum(usage_days)
  limit ${maxViolations}`

const outOfBounds = sql<Violation>`
  select account_id, mode, granted, reserved, used, used_archived, own_reserved, own_used, own_used_archived from wallets
  where granted < 0 or reserved < 0 or used < 0 or used_archived < 0 or used_archived > used or reserved + used > granted
    or own_reserved < 0 or own_used < 0 or own_used_archived < 0 or own_used_archived > own_used
  limit ${maxViolations}`

const withoutWallet = sql<Violation>`
  select account_id, sum(accounts) as accounts, sum(wallets) as wallets
  from (
    select id as account_id, 1 as accounts, 0 as wallets from accounts
    union all select account_id, 0, 1 from wallets) as both_sides
  group by account_id having sum(accounts) <> 1 or sum(wallets) <> 2
  limit ${maxViolations}`
