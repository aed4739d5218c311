import type { Tx } from '../../storage/seam/dialect.ts'
import { cancelWaiting } from './finish-queued.ts'
import { recallOfClosed } from '../phones/phone-recalls.ts'

/** Small pieces, so that sending never waits long for one. */
const maxAtOnce = 500

/** Ends one page of what waits for an account that is being closed, and asks phones for what they hold; gives how many messages ended, 0 at the end. */
export async function cancelBeforeClosing(tx: Tx, accountId: string, nowMs: number): Promise<number> {
  await recallOfClosed(tx, accountId, nowMs)
  const reason = { event: 'canceled', code: 'account_closed', nowMs } as const
  return (await cancelWaiting(tx, { accountId }, reason, maxAtOnce)).length
}
