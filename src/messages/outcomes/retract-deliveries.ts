import type { Tx } from '../../storage/seam/dialect.ts'
import type { Reason } from '../core/attempt-evidence.ts'
import type { Change } from '../core/change-number.ts'
import { type MessageKey, type MessageState, readStates } from '../core/message-store.ts'
import { idsOf, readAttempts, withReport, writeAttempts } from '../core/evidence-store.ts'
import { endOf, moveByEvidence } from './move-by-evidence.ts'

/** A report that an attempt did not arrive as a whole, after one that it did. */
export interface Retraction extends MessageKey {
  attemptNumber: number
  reason: Reason
}

/**
 * Records that attempts did not arrive as reported: a phone reports a message as delivered with its first part, and a later
 * part can still fail. It outranks every other report on the attempt, also where that is repeated. Returns the messages that moved.
 */
export async function retractDeliveries(
  tx: Tx,
  unit: Change,
  told: readonly Retraction[],
): Promise<MessageState[]> {
  if (told.length === 0) return []
  const [states, stored] = [await readStates(tx, told), await readAttempts(tx, told)]
  const retracted = states.map((message) => {
    const about = told.filter(({ messageId }) => messageId === message.id)
    const before = stored.get(message.id) ?? []
    const attempts = before.map((attempt) => {
      const said = about.find(({ attemptNumber }) => attemptNumber === attempt.number)
      const ids = idsOf(attempt.network_ids)
      return said === undefined
        ? attempt
        : withReport(attempt, { ids, state: 'retracted', reason: said.reason })
    })
    return {
      message,
      attempts,
      standing: { waits: null, end: endOf(message) },
      atMs: unit.nowMs,
      changed: attempts.filter((attempt, i) => attempt !== before[i]),
    }
  })
  const moved = await moveByEvidence(tx, unit, retracted)
  await writeAttempts(
    tx,
    retracted.flatMap(({ changed }) => changed),
  )
  return moved.flatMap(({ state }) => state ?? [])
}
