import { activeAmong } from './active-accounts.ts'
import type { AlertRule } from './condition.ts'

/** Audit action of an account that the SMS pumping guard suspended. */
export const pausedForPumping = 'account.paused_pumping'

/**
 * Accounts that the SMS pumping guard suspended, and that were neither reactivated nor suspended by a user
 * since.
 */
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
        said: 'Its messages looked like SMS pumping, so it was suspended automatically. Sends are rejected (403) and queued messages stay queued. An operator checks the messages and reactivates the account.',
      }))
  },
  findRecovered: activeAmong,
}
