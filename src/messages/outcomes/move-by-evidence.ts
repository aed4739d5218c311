import type { Tx } from '../../storage/seam/dialect.ts'
import { allDone } from '../../runtime/all-done.ts'
import { type Advance, advanceMessages } from '../core/advance-messages.ts'
import type { Reason } from '../core/attempt-evidence.ts'
import { markUndelivered } from '../core/followers.ts'
import type { Change } from '../core/change-number.ts'
import type { MessageState } from '../core/message-store.ts'
import { moveTo, type QueueEnd, type Standing, type Verdict, verdictOf } from '../core/verdict.ts'
import { evidenceOf, type StoredAttempt } from '../core/evidence-store.ts'
import { factsOf } from '../core/verdict-facts.ts'

/** A message about which something was reported, and all that is known of it now. */
export interface Reported {
  message: MessageState
  attempts: readonly StoredAttempt[]
  standing: Standing
  atMs: number
  /** Of the attempts that the reports are about, by number: what their devices gave as the reason. */
  reasons?: ReadonlyMap<number, Reason>
  /** How many receipts mean that an attempt of unknown outcome arrived, by number. */
  wireParts?: ReadonlyMap<number, number>
  sentAt?: number
  deliveredAt?: number
  possibleDuplicate?: boolean
}

/** The verdict on a message, and its new state; null if it did not move. */
export interface Moved {
  verdict: Verdict
  state: MessageState | null
}

/**
 * Moves messages to what all evidence about them says. Returns the result for each, in their order. `alongside` posts at
 * once with this what else the unit writes of it.
 */
export async function moveByEvidence(
  tx: Tx,
  unit: Change,
  reported: readonly Reported[],
  alongside: (moved: readonly Moved[]) => Promise<unknown> = async () => undefined,
): Promise<Moved[]> {
  const judged = reported.map((each) => {
    const attempts = each.attempts.map((stored) => {
      const evidence = evidenceOf(stored, each.wireParts?.get(stored.number))
      const reason = each.reasons?.get(stored.number)
      return reason === undefined ? evidence : { ...evidence, reason }
    })
    return { each, verdict: verdictOf(each.standing, attempts) }
  })
  const advances = judged.map(({ each, verdict }) => advanceOf(each, verdict))
  const movedTo = (states: readonly (MessageState | null)[]): Moved[] => {
    let next = 0
    return judged.map(({ verdict }, i) => ({
      verdict,
      state: advances[i] === null ? null : (states[next++] ?? null),
    }))
  }
  const states = await advanceMessages(
    tx,
    unit,
    advances.filter((advance) => advance !== null),
    (all) =>
      allDone([
        markUndelivered(
          tx,
          all.filter((state) => state !== null),
        ),
        alongside(movedTo(all)),
      ]),
  )
  return movedTo(states)
}

function advanceOf(
  { message, attempts, atMs, sentAt, deliveredAt, possibleDuplicate }: Reported,
  verdict: Verdict,
): Advance | null {
  const move = moveTo(
    {
      status: message.status,
      isFinal: message.finalized_at !== null,
      waitsForReceipt: waitsForReceipt(message),
    },
    verdict,
  )
  if (move === null) return null
  return {
    message,
    trigger: move,
    atMs,
    error: verdict.reason,
    ...factsOf(verdict, message.parts, attempts),
    ...(sentAt !== undefined && { sentAt }),
    ...(deliveredAt !== undefined && { deliveredAt }),
    ...(possibleDuplicate === true && verdict.status === 'queued' && { possibleDuplicate }),
  }
}

/**
 * Whether a message waits for receipts: it was sent, and is not final by that; or a late answer corrected it to that.
 */
export const waitsForReceipt = ({ status, finalized_at, corrected }: MessageState): boolean =>
  status === 'sent' && (finalized_at === null || corrected === 1)

/** How the queue ended a final message, as far as its status tells: evidence of an attempt goes before it. */
export const endOf = ({ status, finalized_at, error_code, network_code }: MessageState): QueueEnd | null => {
  const isEnd =
    status === 'failed' || status === 'expired' || status === 'canceled' || status === 'unconfirmed'
  if (finalized_at === null || !isEnd) return null
  return { status, reason: error_code === null ? null : { code: error_code, networkCode: network_code } }
}
