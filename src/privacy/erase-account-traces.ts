import type { Tx } from '../storage/seam/dialect.ts'
import type { Database } from '../storage/tables/schema.ts'
import { deleteRows } from '../storage/seam/sets.ts'

/**
 * Texts and numbers of an account outside of its messages. Each function deletes one page and returns the
 * number of rows; 0 at the end.
 */

/** Small pages, so that sends never wait long for one. */
const pageSize = 500

interface Asked {
  accountId: string
}

/**
 * The account's clients chose the keys, and their fingerprints are hashes of texts. Nothing can be sent
 * twice: the account is closed.
 */
export const dropIdempotencyKeys = (tx: Tx, _: unknown, { accountId }: Asked): Promise<number> =>
  dropPage(tx, 'idempotency_keys', ['account_id', 'mode', 'key'], (key) =>
    tx.selectFrom('idempotency_keys').select(key).where('account_id', '=', accountId),
  )

/** They protect only from this account, which sends nothing more. */
export const dropOptOuts = (tx: Tx, _: unknown, { accountId }: Asked): Promise<number> =>
  dropPage(tx, 'opt_outs', ['account_id', 'mode', 'recipient'], (key) =>
    tx.selectFrom('opt_outs').select(key).where('account_id', '=', accountId),
  )

/** Deletes the words first, then their sets, with the answers. */
export async function dropKeywords(tx: Tx, _: unknown, { accountId }: Asked): Promise<number> {
  const words = await dropPage(tx, 'account_keywords', ['account_id', 'word'], (key) =>
    tx.selectFrom('account_keywords').select(key).where('account_id', '=', accountId),
  )
  if (words > 0) return words
  return dropPage(tx, 'account_keyword_sets', ['account_id', 'language'], (key) =>
    tx.selectFrom('account_keyword_sets').select(key).where('account_id', '=', accountId),
  )
}

/** Names of rules, and senders that they match. Ways name devices alone, and are shared by accounts. */
export const dropRouteRules = (tx: Tx, _: unknown, { accountId }: Asked): Promise<number> =>
  dropPage(tx, 'route_rules', ['id'], (key) =>
    tx.selectFrom('route_rules').select(key).where('account_id', '=', accountId),
  )

/** The key of a route contains the requested sender. */
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

/** Only of the account's own devices: receipts of a shared device match no account. */
export const dropUnmatchedReceipts = (tx: Tx, _: unknown, { accountId }: Asked): Promise<number> =>
  dropPage(tx, 'parked_receipts', ['network_id', 'device_id', 'reading'], (key) =>
    tx.selectFrom('parked_receipts').select(key).where('device_id', 'in', devicesOf(tx, accountId)),
  )

/** Hashes of what the account's own devices received, which can be guessed. */
export const dropInboundSeen = (tx: Tx, _: unknown, { accountId }: Asked): Promise<number> =>
  dropPage(tx, 'inbound_seen', ['device_id', 'fingerprint'], (key) =>
    tx.selectFrom('inbound_seen').select(key).where('device_id', 'in', devicesOf(tx, accountId)),
  )

/** Deletes the first page of the selected rows, by key. */
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
