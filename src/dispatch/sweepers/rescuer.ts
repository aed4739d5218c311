import type { Outcome } from '../../connectors/connector.ts'
import type { Claimed } from '../../messages/queue/claim-messages.ts'
import type { MessageState } from '../../messages/core/message-store.ts'
import { readOrphans } from '../../messages/outcomes/open-claims.ts'
import { settleOutcomes } from '../../messages/outcomes/settle-outcomes.ts'
import { takeChange } from '../../messages/core/change-number.ts'
import type { Metrics } from '../../process/metrics.ts'
import { type Db, isTransient, isInputFault, type Tx } from '../../storage/seam/dialect.ts'
import { readJustLeft } from '../../storage/instance/nodes.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { type Times, usualTimes } from '../../runtime/times.ts'
import type { PastSubmissions } from '../submissions/submission-log.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'
import { judgeOutcome } from '../outcomes/retry-policy.ts'

const pageSize = 500

export interface RescuerDeps extends SweeperDeps {
  read: Db
  writer: Writer
  metrics: Metrics
  fence: number
  /** What the earlier process logged of its submissions; null when it cannot be relied on. */
  past?: PastSubmissions | null
  /** The previous start in this data folder. */
  before?: number | null
  /** With peers, what a node has just left is reserved for its successor for a moment. */
  node?: { isAlone: boolean }
  times?: Times
}

/**
 * Ends the attempts that dead nodes left open. The submission log is evidence: what was not submitted is
 * requeued, and a response that had arrived is the outcome. The outcome of all others is unknown, so their
 * messages become `unconfirmed`, or are resent once if the caller chose that (P6). The first run finishes
 * before the dispatcher starts, so that after a restart nothing stays open except what the database accepts
 * in no form; later runs are for nodes that die.
 */
export const createRescuer = (deps: RescuerDeps): Sweeper =>
  new Sweeper(deps, {
    name: 'rescuer',
    intervalMs: (deps.times ?? usualTimes).rescueMs,
    async sweep() {
      // Almost always there is nothing to write.
      if ((await readOrphans(deps.read, { fence: deps.fence, most: 1 })).length === 0) return false
      try {
        return (await endOrphans(deps)) === pageSize
      } catch (error) {
        if (isTransient(error)) throw error
        return endOneByOne(deps)
      }
    },
  })

/**
 * Ends them one by one: one that the database refuses must delay neither the others nor the start. It stays
 * open, and the next sweep retries it.
 */
async function endOneByOne(deps: RescuerDeps): Promise<boolean> {
  const orphans = await readOrphans(deps.read, { fence: deps.fence, most: pageSize })
  let ended = 0
  for (const { attemptId } of orphans) ended += await endOne(deps, attemptId)
  return ended > 0 && orphans.length === pageSize
}

/** What cannot be stored in its original form becomes unknown. */
async function endOne(deps: RescuerDeps, attemptId: string): Promise<number> {
  for (const past of deps.past ? [deps.past, null] : [null])
    try {
      return await endOrphans({ ...deps, past }, attemptId)
    } catch (error) {
      if (isTransient(error)) throw error
      const isLast = past === null || !isInputFault(error)
      const message = isLast
        ? 'failed to end an open attempt of an earlier process'
        : 'failed to end an open attempt of an earlier process as logged'
      deps.log.error({ err: error, attempt: attemptId }, message)
      if (isLast) return 0
    }
  return 0
}

/** Ends a page of them, or one; returns how many. */
async function endOrphans(deps: RescuerDeps, only?: string): Promise<number> {
  const { orphans, outcomes, states } = await deps.writer.write((tx) => rescue(tx, deps, only))
  if (orphans.length === 0) return 0
  for (const state of states) if (state !== null) deps.metrics.advanced(state.status)
  deps.log.warn(
    { messages: orphans.length, unknown: outcomes.filter(({ kind }) => kind === 'unknown').length },
    'found open submissions of an earlier process',
  )
  return orphans.length
}

async function rescue(
  tx: Tx,
  { clock, fence, past = null, before = null, node, times }: RescuerDeps,
  only?: string,
): Promise<{ orphans: Claimed[]; outcomes: Outcome[]; states: (MessageState | null)[] }> {
  const spared =
    node?.isAlone === false ? (await readJustLeft(tx, clock, times)).filter((epoch) => epoch !== before) : []
  const orphans = await readOrphans(tx, { fence, spared, most: pageSize, only })
  const outcomes = orphans.map((orphan) => outcomeOf(orphan, past))
  const unit = await takeChange(tx, clock.now())
  const settlements = orphans.map((orphan, i) => judgeOutcome(orphan, outcomes[i] as Outcome, unit.nowMs))
  return { orphans, outcomes, states: await settleOutcomes(tx, settlements, Promise.resolve(unit)) }
}

const lost: Outcome = {
  kind: 'unknown',
  networkIds: [],
  partsTaken: 0,
  detail: 'The process ended during the submission.',
}
const neverLeft: Outcome = { kind: 'unavailable', detail: 'The process ended before the submission.' }

function outcomeOf({ attemptId, loggedBy }: Claimed, past: PastSubmissions | null): Outcome {
  if (past === null || loggedBy !== past.epoch) return lost
  return past.outcomes.has(attemptId) ? (past.outcomes.get(attemptId) ?? lost) : neverLeft
}
