import type { Db } from '../../storage/seam/dialect.ts'
import { readJson } from '../../storage/tables/json-columns.ts'
import { type CheckResult, fine } from '../core/check-result.ts'

/** The reason of a device whose provider should call about messages, and never did. */
const reason = 'callbacks_missing'

/** Names devices whose provider never calls. Empty without any. */
export async function examineProviders(db: Db): Promise<CheckResult[]> {
  const rows = await db
    .selectFrom('devices')
    .innerJoin('device_reports', 'device_reports.device_id', 'devices.id')
    .select(['devices.id', 'device_reports.reasons'])
    .where('devices.state', '=', 'enabled')
    .where('device_reports.reasons', 'like', `%"${reason}"%`)
    .orderBy('devices.id')
    .execute()
  const silent = rows.filter(({ reasons }) => readJson(reasons).includes(reason)).map(({ id }) => id)
  if (silent.length === 0) return []
  const count = silent.length === 1 ? 'The provider of 1 device' : `The providers of ${silent.length} devices`
  return [
    {
      ...fine('providers', `${count} should call about receipts, and never did: ${silent.join(', ')}.`),
      remedy:
        'Check that ONESIXTY_PUBLIC_URL is an address that the provider reaches, and the addresses that are set there: provider urls prints them.',
    },
  ]
}
