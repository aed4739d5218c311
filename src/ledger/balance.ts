import { sql } from 'kysely'
import { utcDay } from '../runtime/clock.ts'
import type { Db } from '../storage/seam/dialect.ts'
import type { Mode } from '../storage/tables/schema.ts'

export interface Balance {
  available: number
  reserved: number
  used: number
  granted: number
  /** SMS that own devices carried for nothing; not in `used`. */
  ownUsed: number
  /** SMS of messages that own devices carry for nothing and that have no final outcome; not in `reserved`. */
  ownReserved: number
  lowThreshold: number
  isLow: boolean
  /** UTC days. */
  usedToday: number
  usedThisMonth: number
}

/**
 * Reads the balance and usage of an account in one statement, so that all numbers are of one instant and
 * consistent. Returns null for an unknown account.
 */
export async function readBalance(
  db: Db,
  accountId: string,
  mode: Mode,
  nowMs: number,
): Promise<Balance | null> {
  const today = utcDay(nowMs)
  const wallet = await db
    .selectFrom('wallets as w')
    .leftJoin('usage_days as u', (join) =>
      join
        .onRef('u.account_id', '=', 'w.account_id')
        .onRef('u.mode', '=', 'w.mode')
        .on('u.day', '>=', firstDayOfMonth(nowMs))
        .on('u.day', '<=', today),
    )
    .where('w.account_id', '=', accountId)
    .where('w.mode', '=', mode)
    .groupBy(['w.granted', 'w.reserved', 'w.used', 'w.own_reserved', 'w.own_used', 'w.low_threshold'])
    .select(['w.granted', 'w.reserved', 'w.used', 'w.own_reserved', 'w.own_used', 'w.low_threshold'])
    .select([
      sql<number>`cast(coalesce(sum(case when u.day = ${today} then u.parts end), 0) as bigint)`.as(
        'used_today',
      ),
      sql<number>`cast(coalesce(sum(u.parts), 0) as bigint)`.as('used_this_month'),
    ])
    .executeTakeFirst()
  if (wallet === undefined) return null
  const { granted, reserved, used, low_threshold: lowThreshold } = wallet
  const available = granted - reserved - used
  const isLow = available <= lowThreshold
  return {
    available,
    reserved,
    used,
    granted,
    ownUsed: wallet.own_used,
    ownReserved: wallet.own_reserved,
    lowThreshold,
    isLow,
    usedToday: wallet.used_today,
    usedThisMonth: wallet.used_this_month,
  }
}

function firstDayOfMonth(nowMs: number): number {
  const now = new Date(nowMs)
  return utcDay(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
}
