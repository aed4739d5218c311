import type { Db } from '../../storage/seam/dialect.ts'
import { readJson, type SimOfPhone } from '../../storage/tables/json-columns.ts'

/** The registration of an app, for people. */
export interface ListedPhone {
  phoneId: string
  deviceId: string
  /** `<manufacturer>/<product>` */
  name: string
  /** As the app reported them: numbers, carriers and ICCIDs are masked. */
  sims: readonly SimOfPhone[]
  appVersion: string | null
  usesPush: boolean
  createdAt: number
}

/**
 * Returns the current registrations of a private token or of a device (at most one), latest first. Those of
 * retired devices are omitted.
 */
export async function listPhones(
  db: Db,
  of: { tokenId: string } | { deviceId: string },
): Promise<ListedPhone[]> {
  const [column, value] =
    'tokenId' in of ? (['p.token_id', of.tokenId] as const) : (['p.device_id', of.deviceId] as const)
  const rows = await db
    .selectFrom('phones as p')
    .innerJoin('devices as d', 'd.id', 'p.device_id')
    .select(['p.id', 'p.device_id', 'p.name', 'p.sims', 'p.app_version', 'p.uses_push', 'p.created_at'])
    .where(column, '=', value)
    .where('p.superseded_at', 'is', null)
    .where('d.state', '!=', 'retired')
    .orderBy('p.created_at', 'desc')
    .orderBy('p.id', 'desc')
    .execute()
  return rows.map((row) => ({
    phoneId: row.id,
    deviceId: row.device_id,
    name: row.name,
    sims: readJson(row.sims) ?? [],
    appVersion: row.app_version,
    usesPush: row.uses_push === 1,
    createdAt: row.created_at,
  }))
}
