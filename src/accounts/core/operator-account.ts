import type { Db, Tx } from '../../storage/seam/dialect.ts'

/**
 * Returns the account for messages that match no account: the first one that an operator owns and that is not
 * closed; null if there is none.
 */
export async function findOperatorAccount(db: Db | Tx): Promise<string | null> {
  const row = await db
    .selectFrom('users as u')
    .innerJoin('account_users as m', 'm.user_id', 'u.id')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select('a.id')
    .where('u.is_operator', '=', 1)
    .where('m.role', '=', 'owner')
    .where('a.state', '!=', 'closed')
    .orderBy('a.created_at')
    .orderBy('a.id')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}
