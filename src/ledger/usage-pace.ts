import type { Balance } from './balance.ts'
import type { Db } from '../storage/seam/dialect.ts'
import type { WalletName } from './ledger.ts'

/** SMS charged on one UTC day. */
export interface UsageDay {
  day: number
  parts: number
}

/** Reads the usage of each UTC day from `fromDay` until before `toDay`, including days without usage. */
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

/** An account that spent nothing of its balance for this long does not depend on it. */
export const inUseDays = 30

/**
 * Returns whether a balance at or below its threshold is worth a warning. Where own devices carry messages for nothing
 * it is only if the account spent something of it recently, or holds take all of it. `usage` ends with today.
 */
export const isLowForUse = (
  { isLow, available, reserved }: Pick<Balance, 'isLow' | 'available' | 'reserved'>,
  areOwnFree: boolean,
  usage: readonly UsageDay[],
): boolean =>
  isLow &&
  (!areOwnFree ||
    (reserved > 0 && available <= 0) ||
    usage.slice(-inUseDays - 1).some(({ parts }) => parts > 0))

/** A week evens out its days, and still follows a change within days. */
const paceDays = 7

export interface Pace {
  /** SMS per day, the average of the last `days` whole days; null before the first one has ended. */
  perDay: number | null
  days: number
  /** How many days the available SMS last; null without usage. */
  daysLeft: number | null
}

/**
 * Returns the rate of usage over the last whole days, beginning with the first usage. `usage` ends with
 * yesterday.
 */
export function paceOf(usage: readonly UsageDay[], available: number): Pace {
  const recent = usage.slice(-paceDays)
  const first = usage.findIndex(({ parts }) => parts > 0)
  const days = first === -1 ? 0 : Math.min(recent.length, usage.length - first)
  if (days === 0) return { perDay: null, days: 0, daysLeft: null }
  const perDay = recent.slice(-days).reduce((sum, { parts }) => sum + parts, 0) / days
  return { perDay, days, daysLeft: perDay === 0 ? null : available / perDay }
}
