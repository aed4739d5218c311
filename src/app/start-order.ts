import type { DevicePool } from '../dispatch/devices/device-pool.ts'
import type { Dispatcher } from '../dispatch/submissions/dispatcher.ts'
import type { SubmissionLog } from '../dispatch/submissions/submission-log.ts'
import type { createSweepers } from '../dispatch/sweepers/sweepers.ts'
import type { Heartbeats } from '../dispatch/nodes/heartbeats.ts'
import type { Broadcasts } from '../dispatch/nodes/broadcasts.ts'
import type { ProgressKeeper } from '../dispatch/sweepers/progress-keeper.ts'
import { once, type Service } from '../process/lifecycle.ts'

/** Everything that runs, in start order; it stops the other way round. */
export const inOrder = (run: {
  heartbeats: Heartbeats
  keeper: ProgressKeeper
  broadcasts: Broadcasts
  sweepers: ReturnType<typeof createSweepers>
  submissionLog: SubmissionLog
  pool: DevicePool
  dispatcher: Dispatcher
  webhooks: Service
  http: Service
}): Service[] => [
  run.heartbeats,
  run.keeper,
  run.broadcasts,
  // Orphans of the last process are settled before anything new is claimed.
  once(() => run.sweepers.rescuer.sweepAll()),
  run.submissionLog,
  run.pool,
  // The devices are reported on before anybody can ask for them.
  once(() => run.sweepers.deviceReporter.sweepAll()),
  run.dispatcher,
  run.webhooks,
  ...Object.values(run.sweepers),
  run.http,
]
