import { realKinds } from '../../connectors/registry.ts'
import { expireWaiting, mayExpire } from '../../messages/queue/finish-queued.ts'
import { changeOnDemand } from '../../messages/core/change-number.ts'
import type { Metrics } from '../../process/metrics.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

const intervalMs = 1_000
const maxPerRoute = 500

/** Expires queued messages within about 1 s of the end of their validity. */
export const createExpirer = (deps: SweeperDeps & { read: Db; writer: Writer; metrics: Metrics }): Sweeper =>
  new Sweeper(deps, {
    name: 'expirer',
    intervalMs,
    async sweep() {
      const nowMs = deps.clock.now()
      // The write keeps the units of all other nodes waiting. That a database takes no writes is found by the heartbeat.
      if (!(await mayExpire(deps.read, nowMs))) return false
      const ended = await deps.writer.write((tx) =>
        expireWaiting(tx, { nowMs, take: changeOnDemand(tx, nowMs) }, maxPerRoute, realKinds),
      )
      for (const message of ended) deps.metrics.advanced(message.status)
      return ended.length > 0
    },
  })
