import type { Tx } from '../../storage/seam/dialect.ts'
import type { Change } from '../core/change-number.ts'
import { cancelWaiting } from '../queue/finish-queued.ts'
import { recallOfClosed } from '../phones/phone-recalls.ts'

/** Small pages, so that sends never wait long for one. */
const maxAtOnce = 500

/**
 * Cancels one page of the queued messages of an account that is being closed, and recalls those that phones
 * hold. Returns how many were canceled, 0 at the end.
 */
export async function cancelBeforeClosing(tx: Tx, unit: Change, accountId: string): Promise<number> {
  await recallOfClosed(tx, accountId, unit.nowMs)
  const reason = { trigger: 'canceled', code: 'account_closed' } as const
  return (await cancelWaiting(tx, unit, { accountId }, reason, maxAtOnce)).length
}
