import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { readJson } from '../../storage/tables/json-columns.ts'
import type { Carrying, RealKinds } from './carrying.ts'

/** A device of an account that can carry its live messages for nothing where own devices are free. */
export interface OwnCarrier extends Carrying {
  id: string
  accountId: string
  /** A disabled or pending one carries nothing now. */
  isEnabled: boolean
  groupId?: string
}

/**
 * Reads the devices of these accounts that send live messages for real, enabled or not: no simulators, and no links
 * that only receive. A phone may also send from the numbers of its SIMs that it reported.
 */
export async function readOwnCarriers(
  db: Db | Tx,
  accountIds: readonly string[],
  kinds: RealKinds,
): Promise<OwnCarrier[]> {
  const carriers: OwnCarrier[] = []
  for (let from = 0; from < accountIds.length; from += pageSize)
    carriers.push(...(await readPage(db, accountIds.slice(from, from + pageSize), kinds)))
  return carriers
}

/** How many accounts fit into one statement. */
const pageSize = 1_000

async function readPage(db: Db | Tx, accountIds: readonly string[], kinds: RealKinds): Promise<OwnCarrier[]> {
  const rows = await db
    .selectFrom('devices as d')
    .leftJoin('device_reports as r', 'r.device_id', 'd.id')
    .select(['d.id', 'd.account_id', 'd.kind', 'd.state', 'd.senders', 'd.settings', 'd.group_id', 'r.body'])
    .where('d.account_id', 'in', accountIds)
    .where('d.mode', '=', 'live')
    .where('d.state', '!=', 'retired')
    .where('d.kind', 'in', Object.keys(kinds))
    .orderBy('d.id')
    .execute()
  return rows.flatMap((row): OwnCarrier[] => {
    const { receivesOnly, ...carrying } = kinds[row.kind] as RealKinds[string]
    if (receivesOnly !== undefined && readJson(row.settings)[receivesOnly.setting] === receivesOnly.value)
      return []
    const reported = row.body === null ? [] : readJson(row.body).sims.flatMap(({ number }) => number ?? [])
    const senders = new Set([...readJson(row.senders), ...reported])
    const { id, account_id: accountId, state } = row
    const group = row.group_id === null ? {} : { groupId: row.group_id }
    return [{ ...carrying, ...group, id, accountId: accountId as string, isEnabled: state === 'enabled', senders }] // prettier-ignore
  })
}

/** Returns whether own devices of an account carry its live messages for nothing now. */
export async function areOwnDevicesFree(db: Db, accountId: string, kinds: RealKinds): Promise<boolean> {
  const account = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('own_devices', '=', 'free')
    .executeTakeFirst()
  return (
    account !== undefined && (await readOwnCarriers(db, [accountId], kinds)).some((each) => each.isEnabled)
  )
}

/**
 * Returns whether a send of an account can wait for own devices that are free and yet be sent by a shared one: it has such
 * own devices, and the operator shares an enabled device.
 */
export async function canFallBack(db: Db, accountId: string, kinds: RealKinds): Promise<boolean> {
  if (!(await areOwnDevicesFree(db, accountId, kinds))) return false
  const shared = await db
    .selectFrom('devices')
    .select('id')
    .where('account_id', 'is', null)
    .where('mode', '=', 'live')
    .where('state', '=', 'enabled')
    .limit(1)
    .executeTakeFirst()
  return shared !== undefined
}
