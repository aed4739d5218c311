import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Change } from '../core/change-number.ts'
import type { MessageState } from '../core/message-store.ts'
import { findUnknownParts } from './unknown-parts.ts'
import { reportParts } from './report-parts.ts'
import { findOpenParts } from './open-parts.ts'
import { keepUnmatched } from './unmatched-receipts.ts'
import { withoutCanaries } from './receipts-of-canaries.ts'
import { findAwaited, findInGroup, type ReceiptWord } from './receipt-readings.ts'

/**
 * Settles a batch of receipts as one unit: each raises what is known of one part, and all evidence of a message gives its
 * status. A receipt whose ID matches no part is kept unmatched: its part may still be reported. Returns the
 * messages that moved.
 */
export async function settleReceipts(
  tx: Tx,
  words: readonly ReceiptWord[],
  numbered: Promise<Change>,
): Promise<MessageState[]> {
  const [own, unit] = await allDone([findAwaited(tx, words), numbered])
  // First: what cannot be found by an ID may be found by a number, and a canary has the number of a device.
  const unmatched = await withoutCanaries(tx, own.unknown)
  const shared = await findInGroup(tx, unmatched)
  const open = await findOpenParts(tx, shared.unknown)
  const doubted = await findUnknownParts(tx, open.unknown)
  await keepUnmatched(tx, doubted.unknown)
  const found = [...own.awaited, ...shared.awaited, ...open.awaited, ...doubted.awaited]
  return reportParts(tx, unit, found)
}
