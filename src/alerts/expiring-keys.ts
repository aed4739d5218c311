import { dayMs, rfc3339 } from '../runtime/clock.ts'
import type { AlertRule } from './condition.ts'
import { formatInstant } from './alert-texts.ts'

/**
 * Live keys that expire within `days`, unless a later key with the same name outlasts them: those are being
 * replaced.
 */
export const expiringKeys = (days: number): AlertRule => ({
  kinds: ['key_expiring'],
  everyMs: 300_000,
  async find(db, nowMs) {
    if (days === 0) return []
    const rows = await db
      .selectFrom('api_keys as k')
      .innerJoin('accounts', 'accounts.id', 'k.account_id')
      .select(['k.id', 'k.account_id', 'k.name', 'k.last_four', 'k.expires_at'])
      .where('k.mode', '=', 'live')
      .where('k.revoked_at', 'is', null)
      .where('k.expires_at', '>', nowMs)
      .where('k.expires_at', '<=', nowMs + days * dayMs)
      .where('accounts.state', '<>', 'closed')
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('api_keys as n')
              .select('n.id')
              .whereRef('n.account_id', '=', 'k.account_id')
              .whereRef('n.mode', '=', 'k.mode')
              .whereRef('n.name', '=', 'k.name')
              .whereRef('n.id', '>', 'k.id')
              .where('n.revoked_at', 'is', null)
              .where(({ eb, or, ref }) =>
                or([eb('n.expires_at', 'is', null), eb('n.expires_at', '>', ref('k.expires_at'))]),
              ),
          ),
        ),
      )
      .execute()
    return rows.map((row) => {
      const expiresAt = row.expires_at as number
      return {
        kind: 'key_expiring',
        subject: row.id,
        accountId: row.account_id,
        mode: 'live',
        name: row.name,
        said: `The live key …${row.last_four} (${row.id}) expires at ${formatInstant(expiresAt)}. From then on, requests with it are rejected (401).`,
        event: { type: 'api_key.expiring', facts: { key_id: row.id, expires_at: rfc3339(expiresAt) } },
      }
    })
  },
  findRecovered: async () => new Set(),
})
