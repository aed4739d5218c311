import type { Db, Tx } from '../storage/seam/dialect.ts'
import { lowestNumberAt } from '../messages/core/change-number.ts'
import type { Wallet } from './erase-page.ts'

/** Rows removed in one transaction, which other writes wait for. */
const pageSize = 500

/** Selects the numbers of changes of a wallet made before `beforeMs`, oldest first. */
const oldNumbers = (db: Db | Tx, { accountId, mode }: Wallet, beforeMs: number) =>
  db
    .selectFrom('message_changes')
    .select('number')
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .where('number', '<', lowestNumberAt(beforeMs))
    .orderBy('number')

/** Returns whether there is anything to remove. */
export const hasOldChanges = async (db: Db, wallet: Wallet, beforeMs: number): Promise<boolean> =>
  (await oldNumbers(db, wallet, beforeMs).limit(1).executeTakeFirst()) !== undefined

/**
 * Removes a page of the oldest records of changes of a wallet, made before `beforeMs`: their messages have been
 * removed or were changed again. Returns whether there may be more.
 */
export async function removeOldChanges(tx: Tx, wallet: Wallet, beforeMs: number): Promise<boolean> {
  const old = await oldNumbers(tx, wallet, beforeMs).limit(pageSize).execute()
  const last = old.at(-1)
  if (last === undefined) return false
  await tx
    .deleteFrom('message_changes')
    .where('account_id', '=', wallet.accountId)
    .where('mode', '=', wallet.mode)
    .where('number', '<=', last.number)
    .execute()
  return old.length === pageSize
}
