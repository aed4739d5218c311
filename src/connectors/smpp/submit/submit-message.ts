import type { Outcome } from '../../connector.ts'
import {
  judgeParts,
  optedOut,
  type PartOutcome as AnyPartOutcome,
  type RequestedReceipts,
  validityEnded,
} from '../../sms/part-outcomes.ts'
import type { MessageFields } from '../../../smpp/codec/pdu.ts'
import type { Session } from '../session/session.ts'

/** The request whose response may still arrive. */
interface Asked {
  session: Session
  sequence: number
}

/** The outcome of one submission of a part over SMPP. */
export type PartOutcome = AnyPartOutcome<Asked>

export interface SubmitDeps {
  /** Submits a part over any session with room. Always resolves. */
  submitPart(fields: MessageFields, part: number): Promise<PartOutcome>
  /**
   * Waits before the failed parts are retried, longer after rounds in which all were refused; false when
   * there is no time for it.
   */
  pause(fruitless: number): Promise<boolean>
  /** Returns whether its validity has ended. */
  isExpired(): boolean
  /** Returns whether the recipient has opted out meanwhile; null while unknown. */
  hasOptedOut(): Promise<boolean | null>
  /** How many parts the rate of the link allows now. */
  room(): number
  /** The receipts that were requested. */
  receipts: RequestedReceipts
  /**
   * Called as soon as the outcome of a part is unknown, with the current parts, in which a late response may
   * still set its own.
   */
  onUnknown(outcomes: PartOutcome[], part: number): void
}

/**
 * Submits every part of a message and combines their outcomes. Where some parts were accepted and others
 * certainly not, only these are retried, here: a message that was partly accepted cannot be sent elsewhere. A
 * part with unknown outcome is never retried.
 */
export async function submitMessage(deps: SubmitDeps, parts: readonly MessageFields[]): Promise<Outcome> {
  const outcomes: PartOutcome[] = parts.map(() => unasked)
  const submit = async (fields: MessageFields, part: number): Promise<void> => {
    const outcome = await deps.submitPart(fields, part)
    outcomes[part] = outcome
    if (outcome.kind === 'unknown') deps.onUnknown(outcomes, part)
  }
  await Promise.all(parts.map(submit))
  for (let fruitless = 0; canRetry(outcomes);) {
    if (!(await deps.pause(fruitless))) {
      const last = deps.isExpired() ? outcomes.map(expiredUnlessTaken) : outcomes
      return judgeParts(last, deps.receipts)
    }
    const hasOptedOut = await deps.hasOptedOut()
    if (hasOptedOut === true) return judgeParts(outcomes.map(optedOutUnlessTaken), deps.receipts)
    if (hasOptedOut === null) continue
    const before = countTaken(outcomes)
    const failed = [...parts.entries()].filter(([part]) => isRepeatable(outcomes[part] as PartOutcome))
    // One is always retried, otherwise new messages could take all the room indefinitely.
    const again = failed.slice(0, Math.max(1, deps.room()))
    await Promise.all(again.map(([part, fields]) => submit(fields, part)))
    if (countTaken(outcomes) > before) fruitless = 0
    // Without a session nothing was attempted.
    else if (again.some(([part]) => outcomes[part]?.kind === 'refused')) fruitless += 1
  }
  return judgeParts(outcomes, deps.receipts)
}

const unasked: PartOutcome = { kind: 'not_written', detail: 'Not submitted yet.' }

/** For a message whose recipient opted out when half of it was accepted. */
const optedOutUnlessTaken = (outcome: PartOutcome): PartOutcome =>
  outcome.kind === 'taken' ? outcome : { kind: 'refused', reason: optedOut }
/** For a message whose validity ended before the rest of it could be sent. */
const expiredUnlessTaken = (outcome: PartOutcome): PartOutcome =>
  outcome.kind === 'taken' ? outcome : validityEnded
const isRepeatable = (outcome: PartOutcome): boolean =>
  outcome.kind === 'not_written' ||
  (outcome.kind === 'refused' && (outcome.reason.lasts === 'busy' || outcome.reason.lasts === 'now'))

const countTaken = (outcomes: readonly PartOutcome[]): number =>
  outcomes.filter(({ kind }) => kind === 'taken').length

const canRetry = (outcomes: readonly PartOutcome[]): boolean =>
  outcomes.some(({ kind }) => kind === 'taken') &&
  outcomes.some(({ kind }) => kind !== 'taken') &&
  outcomes.every((outcome) => outcome.kind === 'taken' || isRepeatable(outcome))
