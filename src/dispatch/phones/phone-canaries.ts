import {
  endRun,
  findRuns,
  lostAfterMs,
  markGiven,
  markTaken,
  readOfferedRuns,
  returnRun,
} from '../../devices/canaries/canary-runs.ts'
import { canaryText } from '../../devices/canaries/canary-text.ts'
import { priorityOf } from '../../messages/core/route-key.ts'
import type { OfferedMessage } from '../../messages/phones/read-offers.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import type { JudgeFailure, PhoneReport } from './phone-report.ts'

/**
 * Returns the runs of canaries that a phone may send, as it gets its messages. It may have sent them from then on. One that is
 * drained gets no new one.
 */
export async function offerRuns(
  { read, writer }: { read: Db; writer: Writer },
  { id: deviceId, isDraining }: { id: string; isDraining: boolean },
  nowMs: number,
): Promise<OfferedMessage[]> {
  const all = await readOfferedRuns(read, deviceId, nowMs)
  const isNew = ({ reason }: { reason: string | null }): boolean => reason === null
  const runs = isDraining ? all.filter((run) => !isNew(run)) : all
  if (all.some(isNew))
    await writer.write(async (tx) => {
      if (!isDraining) return markGiven(tx, runs)
      for (const { id } of all.filter(isNew)) await returnRun(tx, id, nowMs)
    })
  return runs.map((run) => ({
    attemptId: run.id,
    to: run.recipient,
    text: canaryText(run.code),
    sim: run.sim,
    priority: priorityOf('transactional'),
    createdAt: run.begun_at,
    validUntil: run.begun_at + lostAfterMs,
    state: 'pending',
    isAgain: false,
    wasAcknowledged: false,
  }))
}

/** Splits reports into those about canaries, and all others. */
export async function splitReports(
  read: Db,
  reports: readonly PhoneReport[],
): Promise<{ ofRuns: PhoneReport[]; others: readonly PhoneReport[] }> {
  const runs = await findRuns(read, reports)
  if (runs.size === 0) return { ofRuns: [], others: reports }
  return {
    ofRuns: reports.filter(({ attemptId }) => runs.has(attemptId)),
    others: reports.filter(({ attemptId }) => !runs.has(attemptId)),
  }
}

/** Applies what a phone reports of runs. Only what arrives shows that one has arrived: that it was sent is not enough. */
export async function settleRuns(
  tx: Tx,
  reports: readonly PhoneReport[],
  { nowMs, judgeFailure }: { nowMs: number; judgeFailure: JudgeFailure },
): Promise<void> {
  for (const { attemptId: id, state, error } of reports) {
    if (state === 'canceled')
      await endRun(tx, { id, state: 'lost', reason: 'canceled', isRefused: true }, nowMs)
    else if (state !== 'failed') await markTaken(tx, id, nowMs)
    else {
      const meaning = judgeFailure(error, { parts: 1 })
      const reason = 'code' in meaning ? meaning.code : 'unknown'
      await endRun(
        tx,
        { id, state: 'lost', reason, ...(meaning.kind === 'refused' && { isRefused: true }) },
        nowMs,
      )
    }
  }
}
