import type { Tx } from '../storage/dialect.ts'
import { deleteRows } from '../storage/sets.ts'

/** Where texts and numbers of an account stand beside its messages. Each deletes one page and gives how many rows that were; 0 at the end. */

/** Small pieces, so that sending never waits long for one. */
const pageSize = 500

interface Asked {
  accountId: string
}

/** Keys are what the account's programs made up, and their fingerprints hashes of texts. Nothing can be sent again: the account is closed. */
export async function dropIdempotencyKeys(tx: Tx, _: unknown, { accountId }: Asked): Promise<number> {
  const key = ['account_id', 'mode', 'key'] as const
  const rows = await tx
    .selectFrom('idempotency_keys')
    .select(key)
    .where('account_id', '=', accountId)
    .limit(pageSize)
    .execute()
  return deleteRows(tx, 'idempotency_keys', key, rows)
}

/** They protect from this account alone, which sends no more. */
export async function dropOptOuts(tx: Tx, _: unknown, { accountId }: Asked): Promise<number> {
  const key = ['account_id', 'mode', 'recipient'] as const
  const rows = await tx
    .selectFrom('opt_outs')
    .select(key)
    .where('account_id', '=', accountId)
    .limit(pageSize)
    .execute()
  return deleteRows(tx, 'opt_outs', key, rows)
}

/** The key of a route holds the sender that was asked for. */
export async function dropEmptyRoutes(tx: Tx, _: unknown, { accountId }: Asked): Promise<number> {
  const key = ['account_id', 'mode', 'route_key'] as const
  const rows = await tx
    .selectFrom('queue_totals')
    .select(key)
    .where('account_id', '=', accountId)
    .where('messages', '=', 0)
    .limit(pageSize)
    .execute()
  return deleteRows(tx, 'queue_totals', key, rows)
}

export async function dropFragments(tx: Tx, _: unknown, { accountId }: Asked): Promise<number> {
  const key = ['device_id', 'sender', 'recipient', 'reference', 'total', 'part'] as const
  const rows = await tx
    .selectFrom('inbound_fragments')
    .select(key)
    .where(({ eb, or }) =>
      or([eb('account_id', '=', accountId), eb('device_id', 'in', devicesOf(tx, accountId))]),
    )
    .limit(pageSize)
    .execute()
  return deleteRows(tx, 'inbound_fragments', key, rows)
}

/** Of the account's own devices: of a shared one nobody knows whose they are. */
export async function dropParkedReceipts(tx: Tx, _: unknown, { accountId }: Asked): Promise<number> {
  const key = ['network_id', 'device_id', 'reading'] as const
  const rows = await tx
    .selectFrom('parked_receipts')
    .select(key)
    .where('device_id', 'in', devicesOf(tx, accountId))
    .limit(pageSize)
    .execute()
  return deleteRows(tx, 'parked_receipts', key, rows)
}

/** Hashes of what the account's own devices received, which anybody could try. */
export async function dropInboundSeen(tx: Tx, _: unknown, { accountId }: Asked): Promise<number> {
  const key = ['device_id', 'fingerprint'] as const
  const rows = await tx
    .selectFrom('inbound_seen')
    .select(key)
    .where('device_id', 'in', devicesOf(tx, accountId))
    .limit(pageSize)
    .execute()
  return deleteRows(tx, 'inbound_seen', key, rows)
}

const devicesOf = (tx: Tx, accountId: string) =>
  tx.selectFrom('devices').select('id').where('account_id', '=', accountId)
