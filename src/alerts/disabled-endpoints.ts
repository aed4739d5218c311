import { isOfOpenAccount } from './active-accounts.ts'
import type { AlertRule } from './condition.ts'
import { idsAmong, subjectsOf } from './resolved-subjects.ts'

/** Webhook endpoints that were disabled after failures; not those that a user disabled. */
export const disabledEndpoints = (afterDays: number): AlertRule => ({
  kinds: ['webhook_disabled'],
  everyMs: 30_000,
  async find(db) {
    const rows = await db
      .selectFrom('webhook_endpoints')
      .select(['account_id', 'id', 'url', 'disabled_because'])
      .where('state', '=', 'disabled')
      .where('disabled_because', 'in', ['gone', 'failing'])
      .where(isOfOpenAccount('webhook_endpoints.account_id'))
      .execute()
    return rows.map((row) => ({
      kind: 'webhook_disabled',
      subject: row.id,
      accountId: row.account_id,
      mode: null,
      name: hostOf(row.url),
      said:
        row.disabled_because === 'gone'
          ? `Webhook endpoint ${row.id} returned 410 (Gone). No more events are sent to it.`
          : `Webhook endpoint ${row.id} accepted no event for ${afterDays === 1 ? 'a day' : `${afterDays} days`}. No more events are sent to it.`,
    }))
  },
  async findRecovered(db, ended) {
    const rows = await db
      .selectFrom('webhook_endpoints')
      .select('id')
      .where('state', '=', 'enabled')
      .where('id', 'in', subjectsOf(ended))
      .execute()
    return idsAmong(ended, rows)
  },
})

/** The rest of the URL can contain credentials. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? 'an endpoint'
