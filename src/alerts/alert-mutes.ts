import type { Db, Tx } from '../storage/seam/dialect.ts'
import type { AlertKind } from '../storage/tables/operator-tables.ts'
import { insertRows } from '../storage/seam/sets.ts'

/** Returns the alert kinds that a user has muted. */
export async function readMutes(db: Db, userId: string): Promise<AlertKind[]> {
  const rows = await db
    .selectFrom('alert_mutes')
    .select('kind')
    .where('user_id', '=', userId)
    .orderBy('kind')
    .execute()
  return rows.map(({ kind }) => kind)
}

/** Replaces the muted kinds. Mails that are waiting are checked against them again. */
export async function writeMutes(
  tx: Tx,
  { userId, kinds }: { userId: string; kinds: readonly AlertKind[] },
): Promise<void> {
  await tx.deleteFrom('alert_mutes').where('user_id', '=', userId).execute()
  await insertRows(
    tx,
    'alert_mutes',
    [...new Set(kinds)].map((kind) => ({ user_id: userId, kind })),
  )
}
