import { readOrphans } from '../messages/open-attempts.ts'
import { settleOutcomes } from '../messages/settle-outcomes.ts'
import type { WriteHorizon } from '../messages/history-horizon.ts'
import type { Metrics } from '../metrics.ts'
import type { Db } from '../storage/dialect.ts'
import type { Writer } from '../storage/writer.ts'
import { Janitor, type JanitorDeps } from './janitor.ts'
import { judgeOutcome } from './retry-policy.ts'

const intervalMs = 60_000
const pageSize = 500

export interface RescuerDeps extends JanitorDeps {
  read: Db
  writer: Writer
  metrics: Metrics
  horizon: WriteHorizon
  fence: number
}

/**
 * Ends the hand-overs that a dead process left open: their outcome is unknown, so the message becomes `unconfirmed`, or goes again once
 * where the caller chose that (P6). Runs to its end before the dispatcher starts, so that at a restart nothing stays in limbo.
 */
export const createRescuer = (deps: RescuerDeps): Janitor =>
  new Janitor(deps, {
    name: 'rescuer',
    intervalMs,
    async sweep() {
      const orphans = await readOrphans(deps.read, deps.fence, pageSize)
      const nowMs = deps.clock.now()
      const lost = {
        kind: 'unknown',
        networkIds: [],
        partsTaken: 0,
        detail: 'The process ended during the hand-over.',
      } as const
      const settlements = orphans.map((orphan) => judgeOutcome(orphan, lost, nowMs))
      if (settlements.length === 0) return false
      const states = await deps.horizon.hold(nowMs, () =>
        deps.writer.write((tx) => settleOutcomes(tx, settlements)),
      )
      for (const state of states) if (state !== null) deps.metrics.advanced(state.status)
      deps.log.warn(
        { messages: orphans.length },
        'hand-overs of an earlier process were found open; their outcome is unknown',
      )
      return orphans.length === pageSize
    },
  })
