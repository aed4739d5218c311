import { cancelWaiting } from '../messages/end-waiting.ts'
import { notBelow } from '../messages/history-floor.ts'
import type { CommandStorage } from '../storage/command-storage.ts'

/** Small pieces, so that a running server never waits long for one. */
const mostAtOnce = 500

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
    const page = await storage.writer.write(async (tx) =>
      cancelWaiting(tx, 'restore_hold', { ...reasons[end], nowMs: await notBelow(tx, now()) }, mostAtOnce),
    )
    ended += page.length
    if (page.length === 0) return ended
  }
}
