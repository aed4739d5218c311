import type { Outcome, ReceiptsToCome, RefusalReason } from '../../connector.ts'
import type { MessageFields } from '../../../smpp/codec/pdu.ts'
import type { Session } from '../session/session.ts'
import type { MessageSettings } from './submit-parts.ts'

/** What is known of a part with unknown outcome. */
type UnknownFacts = Pick<Extract<Outcome, { kind: 'unknown' }>, 'connectionLost' | 'answered'>

/**
 * The outcome of one submission of a part. `messageId` is null where the SMSC named none; `asked` is the
 * request whose response may still arrive.
 */
export type PartOutcome =
  | { kind: 'taken'; messageId: string | null }
  | { kind: 'refused'; reason: RefusalReason }
  | { kind: 'not_written'; detail: string }
  | ({ kind: 'unknown'; detail: string; asked?: { session: Session; sequence: number } } & UnknownFacts)

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
  receipts: MessageSettings['receipts']
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
/** Nothing of the part was submitted, and nothing will be. */
export const validityEnded: PartOutcome = {
  kind: 'refused',
  reason: { lasts: 'expired', code: 'expired_in_queue', networkCode: null },
}

/** For a message whose validity ended before the rest of it could be sent. */
const expiredUnlessTaken = (outcome: PartOutcome): PartOutcome =>
  outcome.kind === 'taken' ? outcome : validityEnded
const optedOut: RefusalReason = { lasts: 'good', code: 'recipient_opted_out', networkCode: null }

const isRepeatable = (outcome: PartOutcome): boolean =>
  outcome.kind === 'not_written' ||
  (outcome.kind === 'refused' && (outcome.reason.lasts === 'busy' || outcome.reason.lasts === 'now'))

const countTaken = (outcomes: readonly PartOutcome[]): number =>
  outcomes.filter(({ kind }) => kind === 'taken').length

const canRetry = (outcomes: readonly PartOutcome[]): boolean =>
  outcomes.some(({ kind }) => kind === 'taken') &&
  outcomes.some(({ kind }) => kind !== 'taken') &&
  outcomes.every((outcome) => outcome.kind === 'taken' || isRepeatable(outcome))

/** Combines the outcomes of the parts of a message; there is at least one. */
export function judgeParts(outcomes: readonly PartOutcome[], receipts: MessageSettings['receipts']): Outcome {
  const taken = outcomes.filter((outcome) => outcome.kind === 'taken')
  const networkIds = taken.flatMap(({ messageId }) => messageId ?? [])
  const unknown = outcomes.filter((outcome) => outcome.kind === 'unknown')
  // The response to one part is better evidence than the silence on another.
  const first = unknown.find(({ answered }) => answered !== undefined) ?? unknown[0]
  if (first !== undefined) {
    const isLost = unknown.every(({ connectionLost }) => connectionLost)
    const parts = outcomes.flatMap(({ kind }, part) => (kind === 'unknown' ? [part] : []))
    const base = {
      kind: 'unknown',
      networkIds,
      partsTaken: taken.length,
      detail: first.detail,
      unknownParts: { parts, wireParts: outcomes.length },
      ...(first.answered !== undefined && { answered: first.answered }),
    } as const
    return isLost ? { ...base, connectionLost: true } : base
  }
  const left = outcomes.filter((outcome) => outcome.kind === 'refused' || outcome.kind === 'not_written')
  const toCome: ReceiptsToCome = {
    receiptExpected: receipts === 'all' && networkIds.length > 0,
    ...(receipts === 'failures' && { failuresReported: true }),
  }
  if (left.length === 0) return { kind: 'accepted', networkIds, ...toCome }
  if (taken.length === 0) return wholly(left)
  const { code, networkCode } = worst(left) ?? { code: 'device_error', networkCode: null }
  return { kind: 'partial', networkIds, partsTaken: taken.length, ...toCome, code, networkCode }
}

type Left = Exclude<PartOutcome, { kind: 'taken' | 'unknown' }>

/**
 * Nothing was accepted. A part that was refused permanently decides; otherwise the one that allows the
 * earliest retry.
 */
function wholly(left: readonly Left[]): Outcome {
  const reason = worst(left)
  if (reason !== null) return { kind: 'refused', ...reason }
  const [first] = left as [Extract<Left, { kind: 'not_written' }>]
  return { kind: 'unavailable', detail: first.detail }
}

const gravity: Record<RefusalReason['lasts'], number> = { good: 3, expired: 2, now: 1, busy: 0 }

/** Among similar reasons, one that concerns more than the recipient comes first. */
const gravityOf = ({ lasts, recipientAlone, mayBeRecipient }: RefusalReason): number =>
  gravity[lasts] + (recipientAlone === true || mayBeRecipient === true ? 0 : 0.5)

const worst = (left: readonly Left[]): RefusalReason | null =>
  left
    .flatMap((outcome) => (outcome.kind === 'refused' ? [outcome.reason] : []))
    .toSorted((a, b) => gravityOf(b) - gravityOf(a))[0] ?? null
