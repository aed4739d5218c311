import type { Db } from '../storage/seam/dialect.ts'
import type { WalletName } from './ledger.ts'

/** SMS charged on one UTC day. */
export interface UsageDay {
  day: number
  parts: number
}

/** What was used on each UTC day from `fromDay` on and before `toDay`, days without use too. */
export async function readUsageDays(
  db: Db,
  { accountId, mode }: WalletName,
  fromDay: number,
  toDay: number,
): Promise<UsageDay[]> {
  const rows = await db
    .selectFrom('usage_days')
    .select(['day', 'parts'])
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .where('day', '>=', fromDay)
    .where('day', '<', toDay)
    .execute()
  const parts = new Map(rows.map((row) => [row.day, row.parts]))
  return Array.from({ length: Math.max(0, toDay - fromDay) }, (_, i) => ({
    day: fromDay + i,
    parts: parts.get(fromDay + i) ?? 0,
  }))
}

/** A week evens out its days, and follows a change of habits within days. */
export const paceDays = 7

export interface Pace {
  /** SMS a day, the mean of the whole days that `days` tells; null before the first of them has ended. */
  perDay: number | null
  days: number
  /** How long what is available lasts; null when nothing is used. */
  daysLeft: number | null
}

/** At what pace SMS are used, by the last whole days; those before the first use do not count. `usage` ends with yesterday. */
export function paceOf(usage: readonly UsageDay[], available: number): Pace {
  const recent = usage.slice(-paceDays)
  const first = usage.findIndex(({ parts }) => parts > 0)
  const days = first === -1 ? 0 : Math.min(recent.length, usage.length - first)
  if (days === 0) return { perDay: null, days: 0, daysLeft: null }
  const perDay = recent.slice(-days).reduce((sum, { parts }) => sum + parts, 0) / days
  return { perDay, days, daysLeft: perDay === 0 ? null : available / perDay }
}
