import { type Recalled, readRecalled } from '../../messages/phones/phone-recalls.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

/** A phone sends a message every few seconds: an earlier recall cancels more of them. */
const intervalMs = 1_000
const pageSize = 500
/**
 * A recall is stored within this of its time, by any process: one with an earlier time than the last check
 * may be new.
 */
const longestWriteMs = 60_000

/**
 * Sends recalls to phones immediately, regardless of which process requested them. It only notifies: the
 * phone's response is a report like any other, and a phone that misses it sees the recall with its next
 * fetch.
 */
export function createRecallSender(deps: SweeperDeps & { read: Db; pool: DevicePool }): Sweeper {
  let checkedAtMs = 0
  /** The times of the recalls that the next check will read again. */
  let sent = new Map<string, number>()

  function send({ attemptId, deviceId, recalledAt }: Recalled): void {
    if (sent.get(attemptId) === recalledAt) return
    sent.set(attemptId, recalledAt)
    deps.pool.recall(deviceId, attemptId)
  }

  async function sweep(): Promise<boolean> {
    const nowMs = deps.clock.now()
    const fromMs = Math.min(checkedAtMs, nowMs) - longestWriteMs
    checkedAtMs = nowMs
    sent = new Map([...sent].filter(([, recalledAt]) => recalledAt >= fromMs))
    for (let after = { recalledAt: fromMs, attemptId: '' }; ;) {
      const rows = await readRecalled(deps.read, after, pageSize)
      for (const row of rows) send(row)
      const last = rows.at(-1)
      if (last === undefined || rows.length < pageSize) return false
      after = last
    }
  }
  return new Sweeper(deps, { name: 'send-recalls', intervalMs, sweep })
}
