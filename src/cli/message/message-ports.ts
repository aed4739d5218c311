import { cancelWaiting } from '../../messages/queue/finish-queued.ts'
import { takeChange } from '../../messages/core/change-number.ts'
import type { CommandStorage } from '../../storage/open/command-storage.ts'
import { holdsAnything } from '../../storage/instance/restore-holds.ts'

/** Small pages, so that a running server never waits long for one. */
const pageSize = 500

/** The decisions about held messages, other than sending them. */
export type HeldEnd = 'cancel' | 'settle'

const reasons = {
  cancel: { trigger: 'canceled', code: 'canceled_by_operator' },
  settle: { trigger: 'given_up_after_restore', code: 'unknown' },
} as const

/**
 * Finishes all messages that a restore holds, one transaction per page. Returns their number, and whether others are
 * still held: those that were in flight when they were held, and can be requeued.
 */
export async function endHeld(
  storage: Pick<CommandStorage, 'writer' | 'read'>,
  end: HeldEnd,
  now: () => number,
): Promise<{ ended: number; isMoreHeld: boolean }> {
  let ended = 0
  for (;;) {
    const page = await storage.writer.write(async (tx) =>
      cancelWaiting(tx, await takeChange(tx, now()), 'restore_hold', reasons[end], pageSize),
    )
    ended += page.length
    if (page.length === 0) return { ended, isMoreHeld: await holdsAnything(storage.read) }
  }
}
