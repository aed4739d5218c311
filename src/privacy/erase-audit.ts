import type { Tx } from '../storage/seam/dialect.ts'
import { updateRows } from '../storage/seam/sets.ts'

/** Small pages, so that sends never wait long for one. */
const pageSize = 500

/** The audit action of a finished erasure. */
export const accountErased = 'account.erased'

/**
 * Reduces a page of an account's audit log to who did what and when, without names, notes, settings,
 * addresses and export filters. An actor that is an address, as that of an invited person without a user yet,
 * is erased too. Returns the number of entries; 0 at the end.
 */
export async function eraseAudit(tx: Tx, _: unknown, { accountId }: { accountId: string }): Promise<number> {
  const rows = await tx
    .selectFrom('audit_log')
    .select(['id', 'actor'])
    .where('account_id', '=', accountId)
    .where('action', '!=', accountErased)
    .where(({ eb, or }) => or([eb('detail', '!=', '{}'), eb('actor', 'like', '%@%')]))
    .orderBy('id')
    .limit(pageSize)
    .execute()
  const blank = rows.map(({ id, actor }) => ({
    id,
    actor: actor.includes('@') ? 'erased' : actor,
    detail: '{}',
  }))
  return updateRows(tx, 'audit_log', ['id'], blank)
}
