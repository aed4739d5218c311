import type { ChangeHints } from '../../messages/core/change-hints.ts'
import { type OpenClaim, readOpenOf } from '../../messages/outcomes/open-claims.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { HotUnits } from '../../messages/units.ts'
import type { Storage } from '../../storage/seam/storage.ts'
import type { ProgressFile } from '../../storage/instance/epoch-file.ts'
import { readProgress } from '../../storage/instance/progress.ts'
import { isShared } from '../../storage/seam/database-time.ts'
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

/** Creates the hot units. Each one announces its changes after its commit. */
export const createDispatchUnits = ({
  storage,
  clock,
  changes,
  quiet,
  progress,
}: {
  storage: Pick<Storage<HotUnits>, 'runUnit' | 'writer' | 'priorityRead'>
  clock: Pick<Clock, 'now'>
  changes: ChangeHints
  quiet: QuietHoursCache
  progress: Pick<ProgressFile, 'progress' | 'write' | 'catchUp'>
}): DispatchUnits => {
  const claim: DispatchUnits['claim'] = async (input) => {
    const requests = quiet.withHours(input.requests)
    if (requests === null) {
      await quiet.refresh()
      return claim({ ...input, nowMs: clock.now() })
    }
    const claiming = async (): Promise<ClaimsMade> => {
      // While the progress of the last claim cannot be stored, nothing is claimed that would have to be released.
      progress.catchUp()
      const made = await storage.runUnit('claim', { ...input, requests, known: progress.progress })
      // Before anything of it is submitted.
      if (made.progress !== undefined) await keepProgress(progress, made.progress, storage)
      return made
    }
    return changes.after(claiming(), ({ claimed, canceledFor = [] }) => [
      ...claimed.map(accountOf),
      ...canceledFor,
    ])
  }
  return { claim, ...endingUnits({ storage, changes }) }
}

/**
 * Writes how far the database is with a claim that is committed. Claims of two nodes may each have read the count before the
 * other's commit: a database that is restored with one of them alone must be behind the file of the other's node. A smaller
 * count, of a server that lacks this claim, changes nothing.
 */
async function keepProgress(
  file: Pick<ProgressFile, 'write'>,
  ofClaim: number,
  { priorityRead }: Pick<Storage, 'priorityRead'>,
): Promise<void> {
  file.write(ofClaim)
  if (isShared(priorityRead)) file.write(await readProgress(priorityRead))
}

const endingUnits = ({
  storage,
  changes,
}: {
  storage: Pick<Storage<HotUnits>, 'runUnit' | 'writer'>
  changes: ChangeHints
}): Omit<DispatchUnits, 'claim'> => ({
  settleOutcomes: (settlements) =>
    changes.after(storage.runUnit('settleOutcomes', settlements), () => settlements.map(accountOf)),
  settleReceipts: (words) =>
    changes.after(storage.runUnit('settleReceipts', words), (moved) => moved.map(accountOf)),
  readOpen: (fence) => storage.writer.write((tx) => readOpenOf(tx, fence)),
})

const accountOf = ({ accountId }: { accountId: string }): string => accountId
