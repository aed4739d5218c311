import type { Tx } from '../storage/seam/dialect.ts'
import { deleteRows } from '../storage/seam/sets.ts'

/** Small pieces, so that sending never waits long for one. */
const pageSize = 500

/** Alerts about an account that is being erased, with their mails: they hold names of its devices. Gives how many of one page; 0 at the end. */
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

/** By what request of a billing system it was opened: such a key may be a name. Gives how many; 0 when there is none. */
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
