import { isPull } from '../connectors/connector.ts'
import { type Recalled, readRecalled } from '../messages/phone-recalls.ts'
import type { Db } from '../storage/dialect.ts'
import type { DevicePool } from './device-pool.ts'
import { Janitor, type JanitorDeps } from './janitor.ts'

/** A phone sends one message in some seconds: what is told sooner is canceled more often. */
const intervalMs = 1_000
const pageSize = 500

/**
 * Tells phones at once what they are to let go of, whoever wished it in whatever process. It is only told: what the phone says of it is a
 * report like any other, and a phone that does not hear it finds it in its next fetch.
 */
export function createPhoneRecaller(deps: JanitorDeps & { read: Db; pool: DevicePool }): Janitor {
  let toldUpToMs = 0
  /** Those of that very millisecond: more of them may have been wished since they were read. */
  let told = new Set<string>()

  function tell({ attemptId, deviceId, recalledAt }: Recalled): void {
    if (recalledAt > toldUpToMs) told = new Set()
    toldUpToMs = recalledAt
    if (told.has(attemptId)) return
    told.add(attemptId)
    const device = deps.pool.get(deviceId)?.link
    if (device !== undefined && isPull(device)) device.recall(attemptId)
  }

  async function sweep(): Promise<boolean> {
    for (let after = { recalledAt: toldUpToMs, attemptId: '' }; ;) {
      const rows = await readRecalled(deps.read, after, pageSize)
      for (const row of rows) tell(row)
      const last = rows.at(-1)
      if (last === undefined || rows.length < pageSize) return false
      after = last
    }
  }
  return new Janitor(deps, { name: 'phone-recaller', intervalMs, sweep })
}
