import { setAccountState } from '../../accounts/core/accounts.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { AccountState } from '../../storage/tables/schema.ts'
import { cancelBeforeClosing } from './cancel-before-closing.ts'
import type { Change } from '../core/change-number.ts'
import { recordEvents } from '../core/events.ts'

/**
 * Runs one page of a change of state: suspends, reactivates or closes the account, and cancels queued
 * messages of a closed one. Webhook endpoints receive suspensions and reactivations; a closed account
 * receives no more events. The caller repeats it until nothing was canceled.
 */
export async function changeStatePage(
  tx: Tx,
  { ids, unit }: { ids: Ids; unit: Change },
  change: { accountId: string; state: AccountState; actor: string },
): Promise<{ changed: boolean; canceled: number }> {
  const { accountId, state } = change
  const nowMs = unit.nowMs
  const cancelWaiting = (inTx: Tx, of: string): Promise<number> => cancelBeforeClosing(inTx, unit, of)
  const page = await setAccountState(tx, { ids, nowMs, cancelWaiting }, change)
  if (page.changed && state !== 'closed') {
    const type = state === 'suspended' ? 'account.suspended' : 'account.reactivated'
    await recordEvents(tx, [
      { type, accountId, mode: 'live', atMs: nowMs, subject: accountId, facts: { state } },
    ])
  }
  return page
}
