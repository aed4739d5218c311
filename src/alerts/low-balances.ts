import { sql } from 'kysely'
import { utcDay } from '../runtime/clock.ts'
import { inUseDays } from '../ledger/usage-pace.ts'
import type { AlertRule, Condition } from './condition.ts'
import { findProviderBalances, findToppedUp } from './provider-balances.ts'
import { idsAmong, subjectsOf } from './resolved-subjects.ts'

/**
 * Live balances at or below the threshold of the account, and exhausted ones, of accounts that use theirs: they spent
 * something recently, or holds take all of it, so that the next send is rejected. An exhausted balance is low too.
 * What own devices carry for nothing does not count. Balances at messaging services are low by the setting of their device.
 */
export const lowBalances: AlertRule = {
  kinds: ['balance_low', 'balance_exhausted'],
  everyMs: 30_000,
  async find(db, nowMs) {
    const rows = await db
      .selectFrom('wallets')
      .innerJoin('accounts', 'accounts.id', 'wallets.account_id')
      .select(['wallets.account_id', 'accounts.name', 'low_threshold', 'granted', 'reserved', 'used'])
      .where('mode', '=', 'live')
      .where(sql<boolean>`granted - reserved - used <= low_threshold`)
      .where('accounts.state', '=', 'active')
      .where(({ or, exists, selectFrom }) =>
        or([
          exists(
            selectFrom('usage_days')
              .select('day')
              .whereRef('usage_days.account_id', '=', 'wallets.account_id')
              .whereRef('usage_days.mode', '=', 'wallets.mode')
              .where('day', '>=', utcDay(nowMs) - inUseDays),
          ),
          sql<boolean>`(reserved > 0 and granted - reserved - used <= 0)`,
        ]),
      )
      .execute()
    return [
      ...rows.flatMap((row) => conditionsOf(row, row.granted - row.reserved - row.used)),
      ...(await findProviderBalances(db)),
    ]
  },
  async findRecovered(db, ended) {
    const rows = await db
      .selectFrom('wallets')
      .innerJoin('accounts', 'accounts.id', 'wallets.account_id')
      .select(['wallets.account_id as id', 'low_threshold', 'granted', 'reserved', 'used'])
      .where('mode', '=', 'live')
      .where('accounts.state', '=', 'active')
      .where('wallets.account_id', 'in', subjectsOf(ended))
      .execute()
    const above = (minimum: (row: (typeof rows)[number]) => number) =>
      rows.filter((row) => row.granted - row.reserved - row.used > minimum(row))
    const low = ended.filter(({ kind }) => kind === 'balance_low')
    const exhausted = ended.filter(({ kind }) => kind === 'balance_exhausted')
    return new Set([
      ...(await findToppedUp(db, low)),
      ...idsAmong(
        low,
        above((row) => row.low_threshold),
      ),
      ...idsAmong(
        exhausted,
        above(() => 0),
      ),
    ])
  },
}

function conditionsOf(
  row: { account_id: string; name: string; low_threshold: number; reserved: number },
  available: number,
): Condition[] {
  const about = { subject: row.account_id, accountId: row.account_id, mode: 'live', name: row.name } as const
  const facts = { available, reserved: row.reserved, low_threshold: row.low_threshold }
  const low: Condition = {
    ...about,
    kind: 'balance_low',
    said: `${available} SMS left; the threshold is ${row.low_threshold}.`,
    event: { type: 'balance.low', facts },
  }
  const exhausted: Condition = {
    ...about,
    kind: 'balance_exhausted',
    said: 'No SMS left. Sends are rejected (402) until more are granted.',
    event: { type: 'balance.exhausted', facts },
  }
  return available > 0 ? [low] : [low, exhausted]
}
