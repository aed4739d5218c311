import { realKinds } from '../../connectors/registry.ts'
import type { ChangeHints } from '../../messages/core/change-hints.ts'
import { takeChange } from '../../messages/core/change-number.ts'
import { releaseDue } from '../../messages/queue/release-due.ts'
import type { Metrics } from '../../process/metrics.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import type { Route } from '../routes/candidate.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'
import { routeFrom } from '../routes/route-ring.ts'

/** A message is promised to be sent within 2 s of its time; the rest of that is for the claim and the device. */
const intervalMs = 500
const pageSize = 500

export interface DueReleaserDeps extends SweeperDeps {
  read: Db
  writer: Writer
  metrics: Metrics
  changes: Pick<ChangeHints, 'tell'>
  /** The time that all nodes agree on. */
  timeOf: (db: Db | Tx) => Promise<number>
  /** Called for each route with queued messages. */
  wake: (route: Route) => void
}

/**
 * Moves scheduled messages to the queue when their time has come. It asks the database, so that neither a
 * restart nor a jump of the wall clock delays or loses a message. Times are compared with the wall clock,
 * whichever way it steps: a caller names a time of day, not a duration. Every node checks, so that none is
 * waited for; the first one does it.
 */
export const createDueReleaser = (deps: DueReleaserDeps): Sweeper =>
  new Sweeper(deps, {
    name: 'due-releaser',
    intervalMs,
    async sweep() {
      const { read, writer, clock } = deps
      if (!(await isAnyDue(read, await deps.timeOf(read)))) return false
      const released = await writer.write(async (tx) => {
        const unit = await takeChange(tx, clock.now())
        return releaseDue(tx, unit, { dueMs: await deps.timeOf(tx), most: pageSize, kinds: realKinds })
      })
      for (const { status } of released.states) if (status !== 'queued') deps.metrics.advanced(status)
      for (const route of released.routes) deps.wake(routeFrom(route))
      deps.changes.tell(() => released.states.map(({ account_id }) => account_id))
      return released.found === pageSize
    },
  })

async function isAnyDue(read: Db, nowMs: number): Promise<boolean> {
  const row = await read
    .selectFrom('deferred')
    .select('message_id')
    .where('restore_hold', '=', 0)
    .where('wake_at', '<=', nowMs)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
