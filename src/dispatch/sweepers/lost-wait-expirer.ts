import { hourMs } from '../../runtime/clock.ts'
import { takeChange } from '../../messages/core/change-number.ts'
import { endLostWaits, readOverdue } from '../../messages/outcomes/lost-waits.ts'
import type { Metrics } from '../../process/metrics.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'
import { beforeWallets, readWalletsAfter, type WalletKey } from './wallets-after.ts'

const intervalMs = 60_000
/** Messages read in one sweep, of any wallets: 30,000 an hour, so that a pass over a million takes 33 hours. */
const messagesAtOnce = 500
/** Wallets looked at in one sweep: many have few messages. */
const walletsAtOnce = 100
/** A pass over few messages is not repeated all the time. */
const passMs = hourMs

export interface LostWaitExpirerDeps extends SweeperDeps {
  read: Db
  writer: Writer
  metrics: Metrics
  receiptWindowMs: number
}

/**
 * Ends messages that were sent, and whose wait for receipts was lost (P2, decision 65): the receipt expirer goes by the
 * rows of those waits. Reads all messages in turn, a page in each sweep; a restart begins from the start.
 */
export function createLostWaitExpirer(deps: LostWaitExpirerDeps): Sweeper {
  const { read, clock } = deps
  /** The present wallet is the next one after this. */
  let after = beforeWallets
  let afterId = ''
  let beganMs = -Infinity

  async function sweep(): Promise<false> {
    const isBegun = after !== beforeWallets || afterId !== ''
    const nowMs = clock.now()
    if (!isBegun && Math.abs(nowMs - beganMs) < passMs) return false
    if (!isBegun) beganMs = nowMs
    for (let left = messagesAtOnce, wallets = 0; left > 0 && wallets < walletsAtOnce; wallets++) {
      const [wallet] = await readWalletsAfter(read, after, 1)
      if (wallet === undefined) {
        after = beforeWallets
        return false
      }
      const page = await endOverdue(deps, wallet, { afterId, most: left })
      const isDone = page.read < left
      afterId = isDone ? '' : (page.lastId ?? '')
      if (isDone) after = wallet
      left -= page.read
    }
    return false
  }

  return new Sweeper(deps, { name: 'lost-wait-expirer', intervalMs, sweep })
}

/** Reads a page of the messages of a wallet, and ends those whose wait was lost. */
async function endOverdue(
  { read, writer, clock, metrics, log, receiptWindowMs }: LostWaitExpirerDeps,
  { account_id: accountId, mode }: WalletKey,
  { afterId, most }: { afterId: string; most: number },
): Promise<{ read: number; lastId: string | undefined }> {
  const nowMs = clock.now()
  // The receipt expirer has had its time.
  const sentBeforeMs = nowMs - receiptWindowMs - hourMs
  const page = await readOverdue(read, { accountId, mode, afterId }, { sentBeforeMs, most })
  if (page.overdue.length === 0) return page
  const ended = await writer.write(async (tx) =>
    endLostWaits(tx, await takeChange(tx, nowMs), { accountId, mode }, page.overdue),
  )
  for (const { status } of ended) metrics.advanced(status)
  if (ended.length > 0)
    log.warn(
      { account_id: accountId, messages: ended.length },
      'messages were sent, and nothing waited for their receipts; they were ended',
    )
  return page
}
