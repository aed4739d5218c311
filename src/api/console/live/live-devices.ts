import type { ReadOf } from '../../../storage/seam/dialect.ts'
import type { LiveSource } from '../core/live-feed.ts'

/**
 * Reports that the devices of an account, or their reports, have changed; a page then reads what it shows. A
 * heartbeat alone is not a change.
 */
export const devicesSource = (readOf: ReadOf): LiveSource => ({
  topic: 'devices',
  async read({ accountId, mode }, since) {
    const rows = await readOf(accountId)
      .selectFrom('devices as d')
      .leftJoin('device_reports as r', 'r.device_id', 'd.id')
      .select(['d.id', 'd.updated_at', 'r.status', 'r.reasons', 'r.body'])
      .where((is) => is.or([is('d.account_id', '=', accountId), is('d.account_id', 'is', null)]))
      .where('d.mode', '=', mode)
      .where('d.state', '!=', 'retired')
      .execute()
    const next = rows
      .map((row) => `${row.id} ${row.updated_at} ${row.status} ${row.reasons} ${factsOf(row.body)}`)
      .join('\n')
    return next === since ? null : { event: { kind: since === undefined ? 'begins' : 'changed' }, next }
  },
})

/** Times that only show another heartbeat. */
const heartbeatTimes = new Set(['lastSeenAt', 'nextContactExpectedBy', 'at', 'resetsAt'])

const factsOf = (body: string | null): string =>
  body === null
    ? ''
    : JSON.stringify(JSON.parse(body), (name, value: unknown) =>
        heartbeatTimes.has(name) ? undefined : value,
      )
