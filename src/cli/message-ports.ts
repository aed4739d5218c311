import { cancelWaiting } from '../messages/end-waiting.ts'
import { notBelow } from '../messages/history-floor.ts'
import type { CommandStorage } from '../storage/command-storage.ts'
import { holdsAnything } from '../storage/restore-holds.ts'

/** Small pieces, so that a running server never waits long for one. */
const mostAtOnce = 500

/** What may become of messages that a restore holds back, beside being sent. */
export type HeldEnd = 'cancel' | 'settle'

const reasons = {
  cancel: { event: 'canceled', code: 'canceled_by_operator' },
  settle: { event: 'given_up_after_restore', code: 'unknown' },
} as const

/**
 * Ends everything that a restore holds back, page by page, each in a transaction of its own; gives how many messages, and whether others are held
 * yet: those that a server was handing over when they were, and that may come back.
 */
export async function endHeld(
  storage: Pick<CommandStorage, 'writer' | 'read'>,
  end: HeldEnd,
  now: () => number,
): Promise<{ ended: number; isMoreHeld: boolean }> {
  let ended = 0
  for (;;) {
    const page = await storage.writer.write(async (tx) =>
      cancelWaiting(tx, 'restore_hold', { ...reasons[end], nowMs: await notBelow(tx, now()) }, mostAtOnce),
    )
    ended += page.length
    if (page.length === 0) return { ended, isMoreHeld: await holdsAnything(storage.read) }
  }
}
