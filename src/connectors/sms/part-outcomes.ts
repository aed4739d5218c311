import type { Outcome, ReceiptsToCome, RefusalReason } from '../connector.ts'

/** The delivery reports that are requested with each part. */
export type RequestedReceipts = 'all' | 'failures' | 'none'

/** What is known of a part with unknown outcome. */
type UnknownFacts = Pick<Extract<Outcome, { kind: 'unknown' }>, 'connectionLost' | 'answered'>

/**
 * The outcome of one submission of a part. `messageId` is null where the network named none; `asked` is the
 * request whose response may still arrive.
 */
export type PartOutcome<Asked = never> =
  | { kind: 'taken'; messageId: string | null }
  | { kind: 'refused'; reason: RefusalReason }
  | { kind: 'not_written'; detail: string }
  | ({ kind: 'unknown'; detail: string; asked?: Asked } & UnknownFacts)

/** Combines the outcomes of the parts of a message; there is at least one. */
export function judgeParts(outcomes: readonly PartOutcome<unknown>[], receipts: RequestedReceipts): Outcome {
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

type Left = Exclude<PartOutcome<unknown>, { kind: 'taken' | 'unknown' }>

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

/** Nothing of the part was submitted, and nothing will be. */
export const validityEnded: PartOutcome = {
  kind: 'refused',
  reason: { lasts: 'expired', code: 'expired_in_queue', networkCode: null },
}

/** Nothing more of the message is sent: its recipient has opted out. */
export const optedOut: RefusalReason = { lasts: 'good', code: 'recipient_opted_out', networkCode: null }
