import { isPull, type Link, type Pull } from '../../connectors/connector.ts'
import { readJson } from '../../storage/tables/json-columns.ts'
import type { Db } from '../../storage/seam/dialect.ts'

/**
 * Passes to a device that fetches what was known about it before the restart: it reports nothing until its
 * next fetch.
 */
export async function reportRecalls(db: Db, deviceId: string, device: Link | Pull): Promise<void> {
  if (!isPull(device)) return
  const row = await db
    .selectFrom('device_reports')
    .select('body')
    .where('device_id', '=', deviceId)
    .executeTakeFirst()
  if (row !== undefined) device.remember(readJson(row.body))
}
