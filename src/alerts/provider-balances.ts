import type { Db } from '../storage/seam/dialect.ts'
import { readJson } from '../storage/tables/json-columns.ts'
import type { Condition, EndedAlert } from './condition.ts'
import { isOfOpenAccount } from './active-accounts.ts'
import { idsAmong } from './resolved-subjects.ts'

/** The setting of a device below which the balance of the account behind it is low. */
const alertSetting = 'balance_alert'

interface LowAccount {
  id: string
  account_id: string | null
  name: string
  amount: number
  currency: string | null
  alertAt: number
}

/**
 * Finds enabled devices whose account at a messaging service has no more than their `balance_alert`, by its last answer. What a
 * device reports besides does not count: an account that has run dry takes its device offline.
 */
export const findProviderBalances = async (db: Db): Promise<Condition[]> =>
  (await readReported(db))
    .filter(({ amount, alertAt }) => amount <= alertAt)
    .map(({ id, account_id, name, amount, currency, alertAt }) => ({
      kind: 'balance_low',
      subject: id,
      accountId: account_id,
      mode: 'live',
      name,
      said: `The account at the messaging service of ${name} (${id}) has ${amount}${currency === null ? '' : ` ${currency}`} left; balance_alert is ${alertAt}.`,
    }))

/** Returns the ended alerts of devices whose account was topped up. */
export async function findToppedUp(db: Db, ended: readonly EndedAlert[]): Promise<ReadonlySet<string>> {
  const reported = await readReported(db)
  return idsAmong(
    ended,
    reported.filter(({ amount, alertAt }) => amount > alertAt),
  )
}

/** Few devices have the setting. */
async function readReported(db: Db): Promise<LowAccount[]> {
  const rows = await db
    .selectFrom('devices')
    .innerJoin('device_reports', 'device_reports.device_id', 'devices.id')
    .select(['devices.id', 'devices.account_id', 'devices.name', 'devices.settings', 'device_reports.body'])
    .where('devices.state', '=', 'enabled')
    .where('devices.mode', '=', 'live')
    .where('devices.settings', 'like', `%"${alertSetting}":"%`)
    .where(isOfOpenAccount('devices.account_id'))
    .execute()
  return rows.flatMap(({ settings, body, ...device }) => {
    const alertAt = readJson(settings)[alertSetting] ?? ''
    const { balance } = readJson(body)
    if (alertAt === '' || balance === undefined) return []
    return [{ ...device, amount: balance.amount, currency: balance.currency, alertAt: Number(alertAt) }]
  })
}
