import { sql } from 'kysely'
import type { Db } from '../storage/dialect.ts'

/** One thing that must hold of what is stored. */
export interface AuditCheck {
  name: string
  /** What must hold, as a sentence. */
  says: string
  /** The rows that break it, at most `mostViolations`; none when it holds. */
  find(db: Db, at: AuditTime): Promise<Violation[]>
}

export type Violation = Record<string, string | number | null>

export interface AuditTime {
  nowMs: number
  /** How long a receipt is waited for. */
  receiptWindowMs: number
}

export const mostViolations = 20

/** The sums of the ledger by itself (P4). Those that need messages are in messages/audit.ts. */
export const ledgerChecks: readonly AuditCheck[] = [
  {
    name: 'granted_is_ledger',
    says: 'What each wallet was granted is the sum of its ledger entries.',
    find: (db) => rowsOf(db, grantedIsNotLedger),
  },
  {
    name: 'used_is_usage',
    says: 'What each wallet used is the sum of its days.',
    find: (db) => rowsOf(db, usedIsNotUsage),
  },
  {
    name: 'wallets_in_bounds',
    says: 'No wallet is below 0, and none has used and reserved more than it was granted.',
    find: (db) => rowsOf(db, outOfBounds),
  },
  {
    name: 'accounts_have_wallets',
    says: 'Every account has a wallet for each mode.',
    find: (db) => rowsOf(db, withoutWallet),
  },
]

export async function rowsOf(db: Db, query: ReturnType<typeof sql<Violation>>): Promise<Violation[]> {
  return (await query.execute(db)).rows
}

const grantedIsNotLedger = sql<Violation>`
  select w.account_id, w.mode, w.granted, coalesce(e.sms, 0) as ledger
  from wallets w
  left join (select account_id, mode, sum(sms) as sms from ledger_entries group by account_id, mode) e
    on e.account_id = w.account_id and e.mode = w.mode
  where w.granted <> coalesce(e.sms, 0)
  limit ${mostViolations}`

const usedIsNotUsage = sql<Violation>`
  select w.account_id, w.mode, w.used, coalesce(u.parts, 0) as usage_days
  from wallets w
  left join (select account_id, mode, sum(parts) as parts from usage_days group by account_id, mode) u
    on u.account_id = w.account_id and u.mode = w.mode
  where w.used <> coalesce(u.parts, 0)
  limit ${mostViolations}`

const outOfBounds = sql<Violation>`
  select account_id, mode, granted, reserved, used, used_archived from wallets
  where granted < 0 or reserved < 0 or used < 0 or used_archived < 0 or used_archived > used or reserved + used > granted
  limit ${mostViolations}`

const withoutWallet = sql<Violation>`
  select a.id as account_id, count(w.mode) as wallets
  from accounts a left join wallets w on w.account_id = a.id
  group by a.id having count(w.mode) <> 2
  limit ${mostViolations}`
