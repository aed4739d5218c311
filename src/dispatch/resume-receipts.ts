import { isPull, type Link, type Pull } from '../connectors/connector.ts'
import type { DeviceReportBody } from '../devices/device-report.ts'
import type { Db } from '../storage/dialect.ts'

const pageSize = 1_000

/** Tells a device that fetches what was known of it before the restart: it is silent until its next fetch. */
export async function recallReport(db: Db, deviceId: string, device: Link | Pull): Promise<void> {
  if (!isPull(device)) return
  const row = await db
    .selectFrom('device_reports')
    .select('body')
    .where('device_id', '=', deviceId)
    .executeTakeFirst()
  if (row !== undefined) device.remember(JSON.parse(row.body) as DeviceReportBody)
}

/** Tells a link that was just started which receipts are still expected from it, page by page, if it can ask for them. */
export async function resumeReceipts(db: Db, deviceId: string, link: Link | Pull): Promise<void> {
  if (isPull(link) || link.resume === undefined) return
  for (let after = ''; ;) {
    const rows = await db
      .selectFrom('receipts_expected')
      .select('network_id')
      .where('network_id', '>', after)
      .where('device_id', '=', deviceId)
      .where('closed_at', 'is', null)
      .orderBy('network_id')
      .limit(pageSize)
      .execute()
    const last = rows.at(-1)
    if (last === undefined) return
    link.resume(rows.map((row) => ({ networkId: row.network_id })))
    after = last.network_id
  }
}
