import type { Db, Tx } from '../storage/seam/dialect.ts'
import type { AlertKind } from '../storage/tables/operator-tables.ts'
import { insertRows } from '../storage/seam/sets.ts'

/** The kinds of which a person wants no mails. */
export async function readMutes(db: Db, userId: string): Promise<AlertKind[]> {
  const rows = await db
    .selectFrom('alert_mutes')
    .select('kind')
    .where('user_id', '=', userId)
    .orderBy('kind')
    .execute()
  return rows.map(({ kind }) => kind)
}

/** Replaces them. What waits to be sent is asked anew. */
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
