import { isPull, type Link, type Pull } from '../../connectors/connector.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'

const pageSize = 1_000

/**
 * Passes to a link the receipts that are still expected from it, if it can query them or needs them to
 * classify: all of them page by page, or the latest that it has room for. Reads wallet by wallet along the
 * index of expected receipts, each from the newest on. The expired ones are read only for a link that reports
 * failures only. Stops when the link is no longer wanted.
 */
export async function resumeReceipts(
  db: Db,
  deviceId: string,
  link: Link | Pull,
  isWanted = (): boolean => true,
): Promise<void> {
  if (isPull(link) || link.resume === undefined) return
  const { most = Number.POSITIVE_INFINITY, failuresReported: failuresOnly = false } = link.resumesFirst ?? {}
  let left = await walletsWith(db, 'is')
  if (failuresOnly) left.push(...(await walletsWith(db, 'is not')))
  // Turn by turn, so that no wallet takes the room of the others.
  const limit = Math.min(pageSize, Math.ceil(most / Math.max(1, left.length)))
  const latest: ExpectedReceipt[] = []
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
  // Oldest first: a link drops first what it received first.
  if (latest.length > 0) link.resume(latest.toSorted((a, b) => a.sentAt - b.sentAt))
}

interface ExpectedReceipt {
  sentAt: number
  messageId: string
  networkId: string
}

const afterAll: ExpectedReceipt = { sentAt: Number.MAX_SAFE_INTEGER, messageId: '', networkId: '' }

/**
 * How far one wallet was read: expected receipts (`closed_at is null`) and expired ones (`is not null`)
 * separately, each by its own index.
 */
interface Reading {
  account_id: string
  mode: Mode
  closedAt: 'is' | 'is not'
  before: ExpectedReceipt
}

/** One query for all: most accounts of a large service expect nothing. */
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
  return wallets.map((wallet) => ({ ...wallet, closedAt, before: afterAll }))
}

const pageBefore = (
  db: Db,
  deviceId: string,
  { account_id, mode, closedAt, before }: Reading,
  limit: number,
): Promise<ExpectedReceipt[]> =>
  db
    .selectFrom('receipts_expected')
    .select(['sent_at as sentAt', 'message_id as messageId', 'network_id as networkId'])
    .where('account_id', '=', account_id)
    .where('mode', '=', mode)
    .where('closed_at', closedAt, null)
    // Uses an index that contains the times: that of the devices would read and sort everything ever expected
    // of this one.
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
