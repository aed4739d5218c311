import type { Tx } from '../storage/seam/dialect.ts'
import type { Database } from '../storage/tables/schema.ts'
import { deleteRows } from '../storage/seam/sets.ts'

/** Where texts and numbers of an account stand beside its messages. Each deletes one page and gives how many rows that were; 0 at the end. */

/** Small pieces, so that sending never waits long for one. */
const pageSize = 500

interface Asked {
  accountId: string
}

/** Keys are what the account's programs made up, and their fingerprints hashes of texts. Nothing can be sent again: the account is closed. */
export const dropIdempotencyKeys = (tx: Tx, _: unknown, { accountId }: Asked): Promise<number> =>
  dropPage(tx, 'idempotency_keys', ['account_id', 'mode', 'key'], (key) =>
    tx.selectFrom('idempotency_keys').select(key).where('account_id', '=', accountId),
  )

/** They protect from this account alone, which sends no more. */
export const dropOptOuts = (tx: Tx, _: unknown, { accountId }: Asked): Promise<number> =>
  dropPage(tx, 'opt_outs', ['account_id', 'mode', 'recipient'], (key) =>
    tx.selectFrom('opt_outs').select(key).where('account_id', '=', accountId),
  )

/** Words first, then the sets that they are of, with their answers. */
export async function dropKeywords(tx: Tx, _: unknown, { accountId }: Asked): Promise<number> {
  const words = await dropPage(tx, 'account_keywords', ['account_id', 'word'], (key) =>
    tx.selectFrom('account_keywords').select(key).where('account_id', '=', accountId),
  )
  if (words > 0) return words
  return dropPage(tx, 'account_keyword_sets', ['account_id', 'language'], (key) =>
    tx.selectFrom('account_keyword_sets').select(key).where('account_id', '=', accountId),
  )
}

/** The key of a route holds the sender that was asked for. */
export const dropEmptyRoutes = (tx: Tx, _: unknown, { accountId }: Asked): Promise<number> =>
  dropPage(tx, 'queue_totals', ['account_id', 'mode', 'route_key'], (key) =>
    tx.selectFrom('queue_totals').select(key).where('account_id', '=', accountId).where('messages', '=', 0),
  )

export const dropFragments = (tx: Tx, _: unknown, { accountId }: Asked): Promise<number> =>
  dropPage(
    tx,
    'inbound_fragments',
    ['device_id', 'sender', 'recipient', 'reference', 'total', 'part'],
    (key) =>
      tx
        .selectFrom('inbound_fragments')
        .select(key)
        .where(({ eb, or }) =>
          or([eb('account_id', '=', accountId), eb('device_id', 'in', devicesOf(tx, accountId))]),
        ),
  )

/** Of the account's own devices: of a shared one nobody knows whose they are. */
export const dropParkedReceipts = (tx: Tx, _: unknown, { accountId }: Asked): Promise<number> =>
  dropPage(tx, 'parked_receipts', ['network_id', 'device_id', 'reading'], (key) =>
    tx.selectFrom('parked_receipts').select(key).where('device_id', 'in', devicesOf(tx, accountId)),
  )

/** Hashes of what the account's own devices received, which anybody could try. */
export const dropInboundSeen = (tx: Tx, _: unknown, { accountId }: Asked): Promise<number> =>
  dropPage(tx, 'inbound_seen', ['device_id', 'fingerprint'], (key) =>
    tx.selectFrom('inbound_seen').select(key).where('device_id', 'in', devicesOf(tx, accountId)),
  )

/** Deletes the first page of what is found, by its key. */
async function dropPage<T extends keyof Database, const K extends readonly (keyof Database[T] & string)[]>(
  tx: Tx,
  table: T,
  key: K,
  find: (key: K) => { limit(most: number): { execute(): Promise<object[]> } },
): Promise<number> {
  return deleteRows(tx, table, key, await find(key).limit(pageSize).execute())
}

const devicesOf = (tx: Tx, accountId: string) =>
  tx.selectFrom('devices').select('id').where('account_id', '=', accountId)
