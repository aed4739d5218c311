import type { Clock } from '../../runtime/clock.ts'
import type { Ids } from '../../runtime/ids.ts'
import { changeStatePage } from '../../messages/account-state/change-account-state.ts'
import { takeChange } from '../../messages/core/change-number.ts'
import type { AccountState } from '../../storage/tables/schema.ts'
import type { Writer } from '../../storage/seam/writer.ts'

export interface AccountStateDeps {
  writer: Writer
  clock: Pick<Clock, 'now'>
  ids: Ids
}

/**
 * Suspends, reactivates or closes an account. Closing is permanent: it cancels queued messages page by page,
 * and recalls messages from phones. Setting the current state again changes nothing. Refuses accounts that do
 * not exist, and changes of closed accounts.
 */
export async function changeAccountState(
  { writer, clock, ids }: AccountStateDeps,
  change: { accountId: string; state: AccountState; actor: string },
): Promise<{ changed: boolean; canceled: number }> {
  let changed = false
  let total = 0
  for (;;) {
    const page = await writer.write(async (tx) =>
      changeStatePage(tx, { ids, unit: await takeChange(tx, clock.now()) }, change),
    )
    changed ||= page.changed
    total += page.canceled
    if (page.canceled === 0) return { changed, canceled: total }
  }
}
