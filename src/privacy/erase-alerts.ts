import type { Tx } from '../storage/seam/dialect.ts'
import { deleteRows } from '../storage/seam/sets.ts'

/** Small pages, so that sends never wait long for one. */
const pageSize = 500

/**
 * Deletes a page of the alerts about an account that is being erased, with their mails: they contain names of
 * its devices. Returns the number of alerts; 0 at the end.
 */
export async function eraseAlerts(tx: Tx, _: unknown, { accountId }: { accountId: string }): Promise<number> {
  const rows = await tx
    .selectFrom('alerts')
    .select('id')
    .where('account_id', '=', accountId)
    .limit(pageSize)
    .execute()
  if (rows.length === 0) return 0
  const ids = rows.map(({ id }) => id)
  await tx.deleteFrom('alert_mails').where('alert_id', 'in', ids).execute()
  return deleteRows(tx, 'alerts', ['id'], rows)
}

/**
 * Deletes the billing system's requests that created the account: their keys may be names. Returns the
 * number; 0 when there are none.
 */
export async function eraseOpening(
  tx: Tx,
  _: unknown,
  { accountId }: { accountId: string },
): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('operator_requests')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
