import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import { changeStatePage } from '../messages/queue/change-account-state.ts'
import type { WriteHorizon } from '../messages/history/history-horizon.ts'
import type { AccountState } from '../storage/tables/schema.ts'
import type { Writer } from '../storage/seam/writer.ts'

export interface AccountStateDeps {
  writer: Writer
  clock: Pick<Clock, 'now'>
  ids: Ids
  /** Closing ends messages, which history must not miss. */
  holdHorizon: WriteHorizon['hold']
}

/**
 * Suspends, reactivates or closes an account. Closing is for ever, ends what waits page by page, and asks phones for what they hold. The
 * state that it has already is no change. Refuses accounts that do not exist, and moves out of `closed`.
 */
export async function changeAccountState(
  { writer, clock, ids, holdHorizon }: AccountStateDeps,
  change: { accountId: string; state: AccountState; actor: string },
): Promise<{ changed: boolean; canceled: number }> {
  let changed = false
  let total = 0
  for (;;) {
    const page = await holdHorizon(clock.now(), (timeIn) =>
      writer.write(async (tx) => {
        const nowMs = await timeIn(tx)
        return changeStatePage(tx, { ids, nowMs }, change)
      }),
    )
    changed ||= page.changed
    total += page.canceled
    if (page.canceled === 0) return { changed, canceled: total }
  }
}
