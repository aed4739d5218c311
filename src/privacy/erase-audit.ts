import type { Tx } from '../storage/seam/dialect.ts'
import { updateRows } from '../storage/seam/sets.ts'

/** Small pieces, so that sending never waits long for one. */
const pageSize = 500

/** What the audit log calls the end of an erasure. */
export const accountErased = 'account.erased'

/**
 * Takes away what the audit log says of an account beyond who did what and when: names, notes, settings, addresses, conditions of exports. An actor that
 * is an address, as of somebody who took an invitation before having a user, goes too. Gives how many entries of one page; 0 at the end.
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
