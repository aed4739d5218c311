import { type Recalled, readRecalled } from '../../messages/phones/phone-recalls.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

/** A phone sends one message in some seconds: what is told sooner is canceled more often. */
const intervalMs = 1_000
const pageSize = 500
/** A wish is stored within this of its time, by whatever process: what has an earlier time than the last look may be new. */
const longestWriteMs = 60_000

/**
 * Tells phones at once what they are to let go of, whoever wished it in whatever process. It is only told: what the phone says of it is a
 * report like any other, and a phone that does not hear it finds it in its next fetch.
 */
export function createRecallSender(deps: SweeperDeps & { read: Db; pool: DevicePool }): Sweeper {
  let lookedAtMs = 0
  /** When each of those was wished that the next look finds again. */
  let told = new Map<string, number>()

  function tell({ attemptId, deviceId, recalledAt }: Recalled): void {
    if (told.get(attemptId) === recalledAt) return
    told.set(attemptId, recalledAt)
    deps.pool.recall(deviceId, attemptId)
  }

  async function sweep(): Promise<boolean> {
    const nowMs = deps.clock.now()
    const fromMs = Math.min(lookedAtMs, nowMs) - longestWriteMs
    lookedAtMs = nowMs
    told = new Map([...told].filter(([, recalledAt]) => recalledAt >= fromMs))
    for (let after = { recalledAt: fromMs, attemptId: '' }; ;) {
      const rows = await readRecalled(deps.read, after, pageSize)
      for (const row of rows) tell(row)
      const last = rows.at(-1)
      if (last === undefined || rows.length < pageSize) return false
      after = last
    }
  }
  return new Sweeper(deps, { name: 'send-recalls', intervalMs, sweep })
}
