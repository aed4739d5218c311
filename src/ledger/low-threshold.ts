import { refuse } from '../runtime/errors.ts'
import type { Ids } from '../runtime/ids.ts'
import { appendAudit } from '../storage/seam/audit-log.ts'
import type { Tx } from '../storage/seam/dialect.ts'
import type { WalletName } from './ledger.ts'

/** Sets the number of available SMS at which a wallet counts as low. Rejects an unknown account. */
export async function setLowThreshold(
  tx: Tx,
  deps: { ids: Ids; nowMs: number },
  { accountId, mode, threshold, actor }: WalletName & { threshold: number; actor: string },
): Promise<void> {
  const changed = await tx
    .updateTable('wallets')
    .set({ low_threshold: threshold })
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .executeTakeFirst()
  if (changed.numUpdatedRows === 0n) throw refuse('not_found', { detail: `Account ${accountId} not found.` })
  await appendAudit(tx, deps, {
    accountId,
    actor,
    action: 'balance.threshold_set',
    detail: { mode, threshold },
  })
}
