import type { Outcome } from '../connectors/connector.ts'
import type { Claimed } from '../messages/claim-messages.ts'
import { readOrphans } from '../messages/open-attempts.ts'
import { settleOutcomes } from '../messages/settle-outcomes.ts'
import type { WriteHorizon } from '../messages/history-horizon.ts'
import type { Metrics } from '../metrics.ts'
import type { Db } from '../storage/dialect.ts'
import type { Writer } from '../storage/writer.ts'
import type { PastHandOvers } from './hand-over-log.ts'
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
  /** What the process before wrote down of its hand-overs; null when it cannot be relied on. */
  past?: PastHandOvers | null
}

/**
 * Ends the hand-overs that a dead process left open. What its log tells counts: what had not left goes again, and an answer that had come is one.
 * The outcome of all others is unknown, so the message becomes `unconfirmed`, or goes again once
 * where the caller chose that (P6). Runs to its end before the dispatcher starts, so that at a restart nothing stays in limbo.
 */
export const createRescuer = (deps: RescuerDeps): Janitor =>
  new Janitor(deps, {
    name: 'rescuer',
    intervalMs,
    async sweep() {
      const orphans = await readOrphans(deps.read, deps.fence, pageSize)
      const nowMs = deps.clock.now()
      const outcomes = orphans.map((orphan) => outcomeOf(orphan, deps.past ?? null))
      const settlements = orphans.map((orphan, i) => judgeOutcome(orphan, outcomes[i] as Outcome, nowMs))
      if (settlements.length === 0) return false
      const states = await deps.horizon.hold(nowMs, () =>
        deps.writer.write((tx) => settleOutcomes(tx, settlements)),
      )
      for (const state of states) if (state !== null) deps.metrics.advanced(state.status)
      deps.log.warn(
        { messages: orphans.length, unknown: outcomes.filter(({ kind }) => kind === 'unknown').length },
        'hand-overs of an earlier process were found open',
      )
      return orphans.length === pageSize
    },
  })

const lost: Outcome = {
  kind: 'unknown',
  networkIds: [],
  partsTaken: 0,
  detail: 'The process ended during the hand-over.',
}
const neverLeft: Outcome = { kind: 'unavailable', detail: 'The process ended before the hand-over.' }

function outcomeOf({ attemptId, loggedBy }: Claimed, past: PastHandOvers | null): Outcome {
  if (past === null || loggedBy !== past.epoch) return lost
  return past.outcomes.has(attemptId) ? (past.outcomes.get(attemptId) ?? lost) : neverLeft
}
