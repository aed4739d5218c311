import type { DevicePool } from '../dispatch/devices/device-pool.ts'
import type { Dispatcher } from '../dispatch/submissions/dispatcher.ts'
import type { SubmissionLog } from '../dispatch/submissions/submission-log.ts'
import type { createSweepers } from '../dispatch/sweepers/sweepers.ts'
import type { Heartbeats } from '../dispatch/nodes/heartbeats.ts'
import type { Broadcasts } from '../dispatch/nodes/broadcasts.ts'
import type { ProgressKeeper } from '../dispatch/sweepers/progress-keeper.ts'
import { once, onStop, type Service } from '../process/lifecycle.ts'

/** Returns all services in start order; they stop in reverse order. */
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
  // Open attempts of the previous process are settled before anything new is claimed.
  once(() => run.sweepers.rescuer.sweepAll()),
  run.submissionLog,
  run.pool,
  // Devices have a report before any client can ask for it.
  once(() => run.sweepers.deviceReporter.sweepAll()),
  // The dispatcher hurries the links that have a canary.
  onStop(() => run.sweepers.canaryRunner.settled()),
  run.dispatcher,
  run.webhooks,
  ...Object.values(run.sweepers),
  run.http,
]
