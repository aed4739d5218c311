import { activeAmong } from './active-accounts.ts'
import type { AlertRule } from './condition.ts'

/** What the audit log says when the guard against pumping has suspended an account. */
export const pausedForPumping = 'account.paused_pumping'

/** Accounts that the guard against pumping has suspended, and nobody has reactivated or suspended since. */
export const pausedAccounts: AlertRule = {
  kinds: ['pumping_paused'],
  everyMs: 30_000,
  async find(db) {
    const rows = await db
      .selectFrom('accounts')
      .select(['accounts.id', 'accounts.name'])
      .select(({ selectFrom }) =>
        selectFrom('audit_log')
          .select('audit_log.action')
          .whereRef('audit_log.account_id', '=', 'accounts.id')
          .where('audit_log.action', 'in', [pausedForPumping, 'account.suspended', 'account.reactivated'])
          .orderBy('audit_log.id', 'desc')
          .limit(1)
          .as('last'),
      )
      .where('accounts.state', '=', 'suspended')
      .execute()
    return rows
      .filter(({ last }) => last === pausedForPumping)
      .map((row) => ({
        kind: 'pumping_paused',
        subject: row.id,
        accountId: row.id,
        mode: 'live',
        name: row.name,
        said: 'Its messages looked like SMS pumping, and it was suspended by itself: sends are refused (403), what waits stays where it is. An operator looks at them and reactivates it.',
      }))
  },
  findRecovered: activeAmong,
}
