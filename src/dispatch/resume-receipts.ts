import { isPull, type Link, type Pull } from '../connectors/connector.ts'
import type { Db } from '../storage/dialect.ts'

const pageSize = 1_000

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
