import type { DevicePool } from '../dispatch/device-pool.ts'
import type { Dispatcher } from '../dispatch/dispatcher.ts'
import type { HandOverLog } from '../dispatch/hand-over-log.ts'
import type { createJanitors } from '../dispatch/janitors.ts'
import type { NodeBeats } from '../dispatch/node-beats.ts'
import type { NodeNews } from '../dispatch/node-news.ts'
import type { ProgressKeeper } from '../dispatch/progress-keeper.ts'
import { once, type Service } from '../process/lifecycle.ts'

/** Everything that runs, in start order; it stops the other way round. */
export const inOrder = (run: {
  beats: NodeBeats
  keeper: ProgressKeeper
  news: NodeNews
  janitors: ReturnType<typeof createJanitors>
  handOvers: HandOverLog
  pool: DevicePool
  dispatcher: Dispatcher
  webhooks: Service
  http: Service
}): Service[] => [
  run.beats,
  run.keeper,
  run.news,
  // Orphans of the last process are settled before anything new is claimed.
  once(() => run.janitors.rescuer.sweepAll()),
  run.handOvers,
  run.pool,
  // The devices are reported on before anybody can ask for them.
  once(() => run.janitors.deviceReporter.sweepAll()),
  run.dispatcher,
  run.webhooks,
  ...Object.values(run.janitors),
  run.http,
]
