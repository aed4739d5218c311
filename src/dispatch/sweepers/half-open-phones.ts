import { countUnfinishedOffers, findUnfinishedOffers } from '../../messages/phones/unfinished-offers.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

const intervalMs = 10_000

/**
 * Checks what half-open phones have not reported as final. Another node may have received the report, and a
 * phone that is stuck on a message may not ask for long, while no other device sends what is queued for its
 * account.
 */
export const createHalfOpenWatch = (
  deps: SweeperDeps & { read: Db; pool: Pick<DevicePool, 'all'> },
): Sweeper =>
  new Sweeper(deps, {
    name: 'half-open-phones',
    intervalMs,
    async sweep() {
      for (const device of deps.pool.all) if (device.unreported.size > 0) await lookAfter(deps.read, device)
      await countHeld(deps)
      return false
    },
  })

async function lookAfter(read: Db, device: DeviceRuntime): Promise<void> {
  const { attemptIds } = device.unreported
  const unfinished = await findUnfinishedOffers(read, attemptIds)
  for (const attemptId of attemptIds) if (!unfinished.has(attemptId)) device.unreported.finished(attemptId)
  device.restIfOverdue()
}

/**
 * Counts what phones hold that get nothing while they hold it: another node may have received the report, or
 * the offer may have expired.
 */
async function countHeld({ pool, read, clock }: Parameters<typeof createHalfOpenWatch>[0]): Promise<void> {
  const holding = new Map(pool.all.flatMap(({ facts, held }) => (held.count > 0 ? [[facts.id, held]] : [])))
  if (holding.size === 0) return
  const most = Math.max(...[...holding.values()].map((held) => held.most))
  const counts = await countUnfinishedOffers(read, [...holding.keys()], { nowMs: clock.now(), most })
  for (const [deviceId, count] of counts) holding.get(deviceId)?.counted(count)
}
