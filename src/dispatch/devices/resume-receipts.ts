import { isPull, type Link, type Pull } from '../../connectors/connector.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'

const pageSize = 1_000

/**
 * Tells a link which receipts are still expected from it, if it can ask for them or judges by them: all of them, page by page, or the latest that it
 * has room for. Goes wallet by wallet along the index of those that are waited for, each from its newest on: the days of those that were given
 * up are not read, but for a link that is told failures alone. Stops where the link is not wanted any more.
 */
export async function resumeReceipts(
  db: Db,
  deviceId: string,
  link: Link | Pull,
  isWanted = (): boolean => true,
): Promise<void> {
  if (isPull(link) || link.resume === undefined) return
  const { most = Number.POSITIVE_INFINITY, failuresTold = false } = link.resumesFirst ?? {}
  let left = await walletsWith(db, 'is')
  if (failuresTold) left.push(...(await walletsWith(db, 'is not')))
  // Turn by turn, so that no wallet takes the room of the others.
  const limit = Math.min(pageSize, Math.ceil(most / Math.max(1, left.length)))
  const latest: Waited[] = []
  while (left.length > 0 && latest.length < most) {
    const longer: Reading[] = []
    for (const reading of left) {
      if (!isWanted()) return
      const rows = await pageBefore(db, deviceId, reading, limit)
      const [oldest] = rows.slice(limit - 1)
      if (oldest !== undefined) longer.push({ ...reading, before: oldest })
      if (most === Number.POSITIVE_INFINITY) link.resume(rows)
      else latest.push(...rows)
    }
    left = longer
  }
  // The oldest first, since a link forgets what it was told first.
  if (latest.length > 0) link.resume(latest.toSorted((a, b) => a.sentAt - b.sentAt))
}

interface Waited {
  sentAt: number
  messageId: string
  networkId: string
}

const behindAll: Waited = { sentAt: Number.MAX_SAFE_INTEGER, messageId: '', networkId: '' }

/** How far one wallet was read: receipts still waited for (`closed_at is null`) and given up (`is not null`) apart, each by an index of its own. */
interface Reading {
  account_id: string
  mode: Mode
  closedAt: 'is' | 'is not'
  before: Waited
}

/** One query for all of them: most accounts of a large service wait for nothing. */
async function walletsWith(db: Db, closedAt: Reading['closedAt']): Promise<Reading[]> {
  const wallets = await db
    .selectFrom('wallets as w')
    .select(['w.account_id', 'w.mode'])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('receipts_expected as r')
          .select('r.network_id')
          .whereRef('r.account_id', '=', 'w.account_id')
          .whereRef('r.mode', '=', 'w.mode')
          .where('r.closed_at', closedAt, null),
      ),
    )
    .execute()
  return wallets.map((wallet) => ({ ...wallet, closedAt, before: behindAll }))
}

const pageBefore = (
  db: Db,
  deviceId: string,
  { account_id, mode, closedAt, before }: Reading,
  limit: number,
): Promise<Waited[]> =>
  db
    .selectFrom('receipts_expected')
    .select(['sent_at as sentAt', 'message_id as messageId', 'network_id as networkId'])
    .where('account_id', '=', account_id)
    .where('mode', '=', mode)
    .where('closed_at', closedAt, null)
    // By an index that has the times: that of the devices would bring, and sort, all that was ever expected of this one.
    .where((eb) => eb(eb.fn.coalesce('device_id', eb.val('')), '=', deviceId))
    .where((eb) =>
      eb(
        eb.refTuple('sent_at', 'message_id', 'network_id'),
        '<',
        eb.tuple(before.sentAt, before.messageId, before.networkId),
      ),
    )
    .orderBy('sent_at', 'desc')
    .orderBy('message_id', 'desc')
    .orderBy('network_id', 'desc')
    .limit(limit)
    .execute()
