import { isPull, type Link, type Pull } from '../connectors/connector.ts'
import type { Db } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'

const pageSize = 1_000

/**
 * Tells a link that was just started which receipts are still expected from it, page by page, if it can ask for them. Goes wallet by wallet
 * along the index of those that are waited for: the days of those that were given up are not read.
 */
export async function resumeReceipts(db: Db, deviceId: string, link: Link | Pull): Promise<void> {
  if (isPull(link) || link.resume === undefined) return
  const wallets = await waitingWallets(db)
  for (const wallet of wallets) {
    for (let after: Waited | undefined = beforeAll; after !== undefined;) {
      const rows: Waited[] = await pageAfter(db, deviceId, wallet, after)
      if (rows.length > 0) link.resume(rows.map((row) => ({ networkId: row.network_id })))
      after = rows.length < pageSize ? undefined : rows.at(-1)
    }
  }
}

/** One query for all of them: most accounts of a large service wait for nothing. */
const waitingWallets = (db: Db): Promise<{ account_id: string; mode: Mode }[]> =>
  db
    .selectFrom('wallets as w')
    .select(['w.account_id', 'w.mode'])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('receipts_expected as r')
          .select('r.network_id')
          .whereRef('r.account_id', '=', 'w.account_id')
          .whereRef('r.mode', '=', 'w.mode')
          .where('r.closed_at', 'is', null),
      ),
    )
    .execute()

interface Waited {
  sent_at: number
  message_id: string
  network_id: string
}

const beforeAll: Waited = { sent_at: -1, message_id: '', network_id: '' }

const pageAfter = (
  db: Db,
  deviceId: string,
  wallet: { account_id: string; mode: Mode },
  after: Waited,
): Promise<Waited[]> =>
  db
    .selectFrom('receipts_expected')
    .select(['sent_at', 'message_id', 'network_id'])
    .where('account_id', '=', wallet.account_id)
    .where('mode', '=', wallet.mode)
    .where('closed_at', 'is', null)
    .where('device_id', '=', deviceId)
    .where((eb) =>
      eb(
        eb.refTuple('sent_at', 'message_id', 'network_id'),
        '>',
        eb.tuple(after.sent_at, after.message_id, after.network_id),
      ),
    )
    .orderBy('sent_at')
    .orderBy('message_id')
    .orderBy('network_id')
    .limit(pageSize)
    .execute()
