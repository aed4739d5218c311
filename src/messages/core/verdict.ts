import type { MessageStatus } from '../../storage/tables/schema.ts'
import { type AttemptEvidence, maySend, type PartEvidence, type Reason } from './attempt-evidence.ts'
import type { Charge, Move } from './state.ts'

/** How the queue ended a message: nothing more is sent. */
export interface QueueEnd {
  status: 'failed' | 'expired' | 'canceled' | 'unconfirmed'
  reason: Reason | null
}

/** What is known of a message besides its attempts. */
export interface Standing {
  /** It waits for its time, or for a device; null: no longer. */
  waits: 'scheduled' | 'queued' | null
  end: QueueEnd | null
}

export interface Verdict {
  status: MessageStatus
  /** What the hold pays, if it still stands: all parts, those known to be taken, none, or nothing yet (`keep`). */
  charge: Charge
  isFinal: boolean
  reason: Reason | null
  /** The attempt that decides: its device carried the message and pays. Null where none does. */
  attempt: AttemptEvidence | null
}

const receiptMissing: Reason = { code: 'receipt_missing', networkCode: null }
const deviceUnresponsive: Reason = { code: 'device_unresponsive', networkCode: null }

/**
 * Returns what all evidence about a message says together: its status, what it costs, and which attempt decides. It
 * depends on what is known alone, not on the order in which it became known (decision 63).
 *
 * The last attempt that may have sent something decides. An earlier one counts for two things: that it arrived, and that
 * it was taken while the outcome of the last is unknown.
 *
 * While a message waits for its next attempt, a receipt for the one before makes it `delivered`, and nothing more is sent;
 * any other word leaves it waiting, because the next attempt may still arrive.
 */
export function verdictOf({ waits, end }: Standing, attempts: readonly AttemptEvidence[]): Verdict {
  const sent = attempts.filter(maySend).toSorted((a, b) => a.number - b.number)
  const arrived = sent.findLast(hasArrived)
  if (arrived !== undefined) return { ...final('delivered', 'all', arrived), reason: null }
  const last = sent.at(-1)
  if (last === undefined) return withoutAttempt(waits, end)
  if (last.state === 'open')
    return { status: 'sending', charge: 'keep', isFinal: false, reason: null, attempt: last }
  const taken = last.state === 'unknown' ? sent.findLast(({ state }) => state === 'accepted') : last
  const attempt = taken ?? last
  const isDoubted = sent.some(({ state, number }) => state === 'unknown' && number < attempt.number)
  if (attempt.state === 'accepted') return ofTaken(attempt)
  if (waits !== null) return { status: waits, charge: 'keep', isFinal: false, reason: null, attempt: null }
  if (attempt.state === 'refused')
    return isDoubted
      ? { ...final('unconfirmed', 'taken', attempt), reason: deviceUnresponsive }
      : final('failed', 'taken', attempt)
  const failed = firstOf(attempt, 'undelivered')
  if (failed !== undefined) return { ...final('undelivered', 'all', attempt), reason: failed.reason }
  return { ...final('unconfirmed', 'taken', attempt), reason: attempt.reason ?? deviceUnresponsive }
}

/** Nothing of it was sent. */
function withoutAttempt(waits: Standing['waits'], end: QueueEnd | null): Verdict {
  if (end === null || waits !== null)
    return { status: waits ?? 'queued', charge: 'keep', isFinal: false, reason: null, attempt: null }
  return { status: end.status, charge: 'nothing', isFinal: true, reason: end.reason, attempt: null }
}

/** The network took the whole of it. */
function ofTaken(attempt: AttemptEvidence): Verdict {
  const failed = firstOf(attempt, 'retracted') ?? firstOf(attempt, 'undelivered')
  if (failed !== undefined) return { ...final('undelivered', 'all', attempt), reason: failed.reason }
  // A receipt that was not promised cannot be missing.
  const lost = attempt.receipts === 'all' ? firstOf(attempt, 'lost') : undefined
  if (lost !== undefined)
    return { ...final('unconfirmed', 'all', attempt), reason: lost.reason ?? receiptMissing }
  const isAwaited = attempt.receipts === 'all' && firstOf(attempt, 'awaited') !== undefined
  return { status: 'sent', charge: 'all', isFinal: !isAwaited, reason: null, attempt }
}

const final = (status: MessageStatus, charge: Charge, attempt: AttemptEvidence): Verdict => ({
  status,
  charge,
  isFinal: true,
  reason: attempt.reason,
  attempt,
})

const hasArrived = ({ isWhole, parts }: AttemptEvidence): boolean =>
  isWhole && parts.length > 0 && parts.every(({ state }) => state === 'delivered')

const firstOf = ({ parts }: AttemptEvidence, state: PartEvidence['state']): PartEvidence | undefined =>
  parts.find((part) => part.state === state)

/** What was reported as delivered was not: alone this takes a `delivered` back. */
const isRetracted = ({ attempt }: Verdict): boolean =>
  attempt?.parts.some(({ state }) => state === 'retracted') === true

/** Final statuses that later evidence corrects, and what they become (docs/state-machine.md). */
const corrections: Partial<Record<MessageStatus, readonly MessageStatus[]>> = {
  unconfirmed: ['sent', 'delivered', 'undelivered'],
  failed: ['delivered'],
  sent: ['delivered', 'undelivered'],
  // Another attempt arrived.
  undelivered: ['delivered'],
}

/**
 * Returns how a message moves to what its evidence says; null if it stays. A final status moves by a correction only, and
 * never its cost (P7).
 */
export function moveTo(
  {
    status,
    isFinal: wasFinal,
    waitsForReceipt,
  }: { status: MessageStatus; isFinal: boolean; waitsForReceipt: boolean },
  verdict: Verdict,
): Move | null {
  const isSame = status === verdict.status && (wasFinal || !verdict.isFinal)
  if (isSame) return null
  if (!wasFinal) return { to: verdict.status, charge: verdict.charge }
  const isAllowed =
    corrections[status]?.includes(verdict.status) === true ||
    (waitsForReceipt && verdict.status === 'unconfirmed') ||
    (status === 'delivered' && verdict.status === 'undelivered' && isRetracted(verdict))
  return isAllowed
    ? { to: verdict.status, charge: 'keep', ...(status !== 'sent' && { correction: true as const }) }
    : null
}
