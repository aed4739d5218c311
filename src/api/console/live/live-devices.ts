import type { ReadOf } from '../../../storage/seam/dialect.ts'
import type { LiveSource } from '../core/live-feed.ts'

/** Tells that the devices of an account, or their reports, have changed; a page asks for what it shows. That a sign of life came is no change. */
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

/** Times that only say that it was heard again. */
const signsOfLife = new Set(['lastSeenAt', 'nextContactExpectedBy', 'at', 'resetsAt'])

const factsOf = (body: string | null): string =>
  body === null
    ? ''
    : JSON.stringify(JSON.parse(body), (name, value: unknown) => (signsOfLife.has(name) ? undefined : value))
