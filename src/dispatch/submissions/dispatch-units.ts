import type { ChangeHints } from '../../messages/core/change-hints.ts'
import { type OpenClaim, readOpenOf } from '../../messages/outcomes/open-attempts.ts'
import type { WriteHorizon } from '../../messages/history/history-horizon.ts'
import type { HotUnits } from '../../messages/units.ts'
import type { Storage } from '../../storage/seam/storage.ts'
import type { ProgressFile } from '../../storage/instance/epoch-file.ts'
import type { MessageStatus } from '../../storage/tables/schema.ts'
import type { ClaimsMade, ClaimRequest } from '../../messages/queue/claim-messages.ts'
import type { ReceiptWord } from '../../messages/outcomes/receipt-readings.ts'
import type { QuietHoursCache } from './quiet-hours-cache.ts'
import type { Settlement } from '../../messages/outcomes/settlement.ts'

/** The hot units, run in the next transaction; each settles after the flush. */
export interface DispatchUnits {
  claim(input: {
    requests: readonly ClaimRequest[]
    nowMs: number
    dueMs: number
    fence: number
  }): Promise<ClaimsMade>
  settleOutcomes(settlements: readonly Settlement[]): Promise<(MessageStatus | null)[]>
  settleReceipts(words: readonly ReceiptWord[]): Promise<{ accountId: string; status: MessageStatus }[]>
  /** See `readOpenOf`; runs after every write that has begun. */
  readOpen(fence: number): Promise<OpenClaim[]>
}

/**
 * Creates the hot units. Each one holds the horizon of history while it writes, and announces its changes
 * afterwards.
 */
export const createDispatchUnits = ({
  storage,
  horizon,
  changes,
  quiet,
  progress,
}: {
  storage: Pick<Storage<HotUnits>, 'runUnit' | 'writer'>
  horizon: WriteHorizon
  changes: ChangeHints
  quiet: QuietHoursCache
  progress: Pick<ProgressFile, 'progress' | 'write' | 'catchUp'>
}): DispatchUnits => {
  const claim: DispatchUnits['claim'] = async (input) => {
    const requests = quiet.withHours(input.requests)
    if (requests === null) {
      await quiet.refresh()
      return claim({ ...input, nowMs: horizon.now() })
    }
    // In the same turn of the event loop as its time.
    const claiming = horizon.announce(input.nowMs, async () => {
      // While the progress of the last claim cannot be stored, nothing is claimed that would have to be released.
      progress.catchUp()
      const made = await storage.runUnit('claim', { ...input, requests, known: progress.progress })
      // Before anything of it is submitted.
      if (made.progress !== undefined) progress.write(made.progress)
      return made
    })
    return changes.after(claiming, ({ claimed, canceledFor = [] }) => [
      ...claimed.map(accountOf),
      ...canceledFor,
    ])
  }
  return { claim, ...endingUnits({ storage, horizon, changes }) }
}

const endingUnits = ({
  storage,
  horizon,
  changes,
}: {
  storage: Pick<Storage<HotUnits>, 'runUnit' | 'writer'>
  horizon: WriteHorizon
  changes: ChangeHints
}): Omit<DispatchUnits, 'claim'> => ({
  settleOutcomes: (settlements) =>
    changes.after(
      horizon.announce(earliest(settlements), () => storage.runUnit('settleOutcomes', settlements)),
      () => settlements.map(accountOf),
    ),
  settleReceipts: (words) =>
    changes.after(
      horizon.announce(earliest(words), () => storage.runUnit('settleReceipts', words)),
      (moved) => moved.map(accountOf),
    ),
  readOpen: (fence) => storage.writer.write((tx) => readOpenOf(tx, fence)),
})

const accountOf = ({ accountId }: { accountId: string }): string => accountId

const earliest = (rows: readonly { atMs: number }[]): number =>
  rows.reduce((least, { atMs }) => Math.min(least, atMs), Infinity)
