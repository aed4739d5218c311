import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Db, Tx } from '../../storage/seam/dialect.ts'

/**
 * Returns the condition that an account has a device that carries its live messages for nothing where own devices
 * are free: enabled, and of none of the kinds that send nothing for real (`simulated`).
 */
export const hasOwnCarrier = (accountId: RawBuilder<unknown>, simulated: readonly string[]) =>
  sql<SqlBool>`exists (select 1 from devices own where own.account_id = ${accountId} and own.mode = 'live'
    and own.state = 'enabled' and own.kind not in (${sql.join(simulated.length === 0 ? [''] : simulated)}))`

/** Returns which of these accounts have such a device. */
export async function accountsWithOwnCarrier(
  db: Db | Tx,
  accountIds: readonly string[],
  simulated: readonly string[],
): Promise<ReadonlySet<string>> {
  if (accountIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', 'in', accountIds)
    .where(hasOwnCarrier(sql.ref('accounts.id'), simulated))
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Returns whether own devices of an account carry its live messages for nothing now. */
export async function areOwnDevicesFree(
  db: Db,
  accountId: string,
  simulated: readonly string[],
): Promise<boolean> {
  const account = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('own_devices', '=', 'free')
    .where(hasOwnCarrier(sql.ref('accounts.id'), simulated))
    .executeTakeFirst()
  return account !== undefined
}
