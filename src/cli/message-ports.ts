import { cancelWaiting } from '../messages/end-waiting.ts'
import { recallOfClosed } from '../messages/phone-recalls.ts'
import type { CommandStorage } from '../storage/command-storage.ts'
import type { Tx } from '../storage/dialect.ts'

/** Small pieces, so that a running server never waits long for one. */
const mostPerRoute = 500

/** Ends one page of what waits for an account that is being closed, and asks phones for what they hold; gives how many messages ended, 0 at the end. */
export async function cancelOfClosed(tx: Tx, accountId: string, nowMs: number): Promise<number> {
  await recallOfClosed(tx, accountId, nowMs)
  const reason = { event: 'canceled', code: 'account_closed', nowMs } as const
  return (await cancelWaiting(tx, { accountId }, reason, mostPerRoute)).length
}

/** What may become of messages that a restore holds back, beside being sent. */
export type HeldEnd = 'cancel' | 'settle'

const reasons = {
  cancel: { event: 'canceled', code: 'canceled_by_operator' },
  settle: { event: 'given_up_after_restore', code: 'unknown' },
} as const

/** Ends everything that a restore holds back, page by page, each in a transaction of its own; gives how many messages. */
export async function endHeld(
  storage: Pick<CommandStorage, 'writer'>,
  end: HeldEnd,
  now: () => number,
): Promise<number> {
  let ended = 0
  for (;;) {
    const page = await storage.writer.write((tx) =>
      cancelWaiting(tx, 'restore_hold', { ...reasons[end], nowMs: now() }, mostPerRoute),
    )
    ended += page.length
    if (page.length === 0) return ended
  }
}
