import { countUnended, findUnended } from '../messages/unended-offers.ts'
import type { Db } from '../storage/dialect.ts'
import type { DevicePool } from './device-pool.ts'
import type { DeviceRuntime } from './device-runtime.ts'
import { Janitor, type JanitorDeps } from './janitor.ts'

const intervalMs = 10_000

/**
 * Looks after what phones on trial have not told the end of: another node may have been told, and a phone on which a message hangs may not
 * ask for long, while what waits for its account goes by no other device.
 */
export const createTrialWatch = (deps: JanitorDeps & { read: Db; pool: Pick<DevicePool, 'all'> }): Janitor =>
  new Janitor(deps, {
    name: 'trial-watch',
    intervalMs,
    async sweep() {
      for (const device of deps.pool.all) if (device.untold.size > 0) await lookAfter(deps.read, device)
      await countHeld(deps)
      return false
    },
  })

async function lookAfter(read: Db, device: DeviceRuntime): Promise<void> {
  const { attemptIds } = device.untold
  const unended = await findUnended(read, attemptIds)
  for (const attemptId of attemptIds) if (!unended.has(attemptId)) device.untold.told(attemptId)
  device.restIfOverdue()
}

/** What phones hold that get nothing while they hold it: another node may have been told of it, or what ends offers that hang. */
async function countHeld({ pool, read, clock }: Parameters<typeof createTrialWatch>[0]): Promise<void> {
  const holding = new Map(pool.all.flatMap(({ facts, held }) => (held.count > 0 ? [[facts.id, held]] : [])))
  if (holding.size === 0) return
  const most = Math.max(...[...holding.values()].map((held) => held.most))
  const counts = await countUnended(read, [...holding.keys()], { nowMs: clock.now(), most })
  for (const [deviceId, count] of counts) holding.get(deviceId)?.counted(count)
}
