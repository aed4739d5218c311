import type { Outcome } from '../../connectors/connector.ts'
import type { ReceiptWord } from '../../messages/outcomes/receipt-readings.ts'
import { arrivalOf } from '../../messages/outcomes/report-parts.ts'
import type { Retraction } from '../../messages/outcomes/retract-deliveries.ts'
import type { Settlement } from '../../messages/outcomes/settlement.ts'
import { mergePhoneReport } from '../../messages/phones/merge-phone-report.ts'
import type { PlacedAttempt } from '../../messages/core/open-attempt.ts'
import type { markOffers, OfferRow } from '../../messages/phones/phone-offers.ts'
import type { Claimed } from '../../messages/queue/claim-messages.ts'
import { type HasAnother, judgeLate, judgeOutcome } from '../outcomes/retry-policy.ts'
import {
  type FailureMeaning,
  type JudgeFailure,
  type PhoneReport,
  reasonOf,
  timesWithin,
} from './phone-report.ts'

export interface ReportTerms {
  nowMs: number
  /** The time from which back-offs count. */
  dueFromMs: number
  judgeFailure: JudgeFailure
  another?: HasAnother
}

interface ReportedAttempt {
  offer: OfferRow
  attempt: PlacedAttempt
  claimed: Claimed
  /** Whether it must be canceled because its number has opted out. */
  isOptedOut: boolean
}

const canceledFor = (code: 'recipient_opted_out' | 'canceled_by_user') => ({ code, networkCode: null })

/** Cancels a message that was recalled and would be requeued: nothing of it was submitted. */
const applyRecall = ({ offer, isOptedOut }: ReportedAttempt, settlement: Settlement): Settlement =>
  offer.recall !== 'cancel' || settlement.requeue === null
    ? settlement
    : {
        ...settlement,
        end: 'canceled',
        outcome: 'canceled',
        requeue: null,
        error: canceledFor(isOptedOut ? 'recipient_opted_out' : 'canceled_by_user'),
      }

/** Applies the reports of one batch in order; each sees what the ones before it changed. */
export class ReportMerge {
  readonly settlements: { settlement: Settlement; outcome: Outcome; claimed: Claimed }[] = []
  readonly receipts: ReceiptWord[] = []
  readonly retractions: Retraction[] = []
  readonly #terms: ReportTerms
  readonly #marks = new Map<string, Parameters<typeof markOffers>[1][number]>()
  readonly #ended = new Map<string, PlacedAttempt['state']>()

  constructor(terms: ReportTerms) {
    this.#terms = terms
  }

  get marks(): Parameters<typeof markOffers>[1] {
    return [...this.#marks.values()]
  }

  /** Returns whether the report changed anything. */
  take(report: PhoneReport, known: ReportedAttempt): boolean {
    const { offer } = known
    const before = this.#marks.get(offer.attempt_id) ?? {
      attemptId: offer.attempt_id,
      state: offer.state,
      reportedAt: offer.reported_at,
      closedAt: offer.closed_at,
    }
    const state = mergePhoneReport(before.state, report.state, known.claimed.parts)
    if (state === 'failed' && before.state === 'delivered') this.#partFailed(report.error, known)
    else if (state !== null) {
      const times = timesWithin(report, { offeredAtMs: offer.offered_at, nowMs: this.#terms.nowMs })
      this.#advance({ ...report, ...times, state }, known)
    }
    const isOver = state !== null && state !== 'pending' && state !== 'processed'
    this.#marks.set(offer.attempt_id, {
      ...before,
      state: state ?? before.state,
      reportedAt: this.#terms.nowMs,
      closedAt: before.closedAt ?? (isOver ? this.#terms.nowMs : null),
    })
    return state !== null
  }

  #advance(report: PhoneReport, known: ReportedAttempt): void {
    switch (report.state) {
      case 'pending':
      case 'processed':
        return
      case 'sent':
        return this.#accepted(report, known)
      case 'delivered':
        this.#accepted(report, known)
        return this.#receipt(known, {
          result: 'delivered',
          code: null,
          networkCode: null,
          ...arrivalOf(report),
        })
      case 'failed':
        return this.#failed(report, known)
      case 'canceled':
        return this.#canceled(known)
    }
  }

  /** The network accepted it: recorded once, however often the phone reports it. */
  #accepted({ sentAt }: PhoneReport, known: ReportedAttempt): void {
    if (this.#stateOf(known) === 'accepted') return
    const taken = { kind: 'accepted', networkIds: [known.offer.attempt_id], receiptExpected: true } as const
    this.#settle(known, sentAt === undefined ? taken : { ...taken, sentAt })
  }

  #failed(report: PhoneReport, known: ReportedAttempt): void {
    const meaning = this.#meaningOf(report.error, known)
    const wasAccepted = this.#stateOf(known) === 'accepted'
    if (meaning.kind !== 'undelivered' && !wasAccepted) return this.#settle(known, meaning)
    this.#accepted(report, known)
    this.#receipt(known, { result: 'undelivered', ...reasonOf(meaning) })
  }

  /** Its first part was delivered and another was not: the message was not delivered as reported. */
  #partFailed(error: string | null, known: ReportedAttempt): void {
    const meaning = this.#meaningOf(error, known)
    const { accountId, mode, messageId, attemptNumber } = known.claimed
    this.retractions.push({ accountId, mode, messageId, attemptNumber, reason: reasonOf(meaning) })
  }

  /** A phone whose clock is fast reports a message as expired too early. Nothing was submitted: it is requeued. */
  #meaningOf(error: string | null, { claimed }: ReportedAttempt): FailureMeaning {
    const meaning = this.#terms.judgeFailure(error, { parts: claimed.parts })
    const isEarly =
      meaning.kind === 'refused' && meaning.lasts === 'expired' && claimed.expiresAt > this.#terms.nowMs
    return isEarly ? { ...meaning, lasts: 'now', code: 'device_error' } : meaning
  }

  /**
   * The phone dropped the message before it was sent: a recalled one may be sent by another device. One that
   * was not recalled counts as refused, so that a phone that drops everything does not get it indefinitely.
   */
  #canceled(known: ReportedAttempt): void {
    if (this.#stateOf(known) !== 'handing_over') return
    const isRecalled = known.offer.recall !== null
    this.#settle(
      known,
      isRecalled
        ? { kind: 'unavailable', detail: 'The phone released the message.' }
        : { kind: 'refused', lasts: 'now', code: 'device_error', networkCode: null },
    )
  }

  #settle(known: ReportedAttempt, outcome: Outcome): void {
    const { settlement, ...rest } = this.#settlementOf(known, outcome)
    this.#push(known, settlement, rest)
  }

  /** For an attempt that was final without a report, this one is late: it corrects, and nothing is requeued. */
  #settlementOf(
    known: ReportedAttempt,
    outcome: Outcome,
  ): { settlement: Settlement; outcome: Outcome; claimed: Claimed } {
    const { claimed } = known
    const { nowMs, dueFromMs, another } = this.#terms
    const settlement =
      this.#stateOf(known) === 'handing_over'
        ? applyRecall(known, judgeOutcome(claimed, outcome, nowMs, dueFromMs, another))
        : judgeLate(claimed, outcome, nowMs)
    return { settlement, outcome, claimed }
  }

  #push(known: ReportedAttempt, settlement: Settlement, rest: { outcome: Outcome; claimed: Claimed }): void {
    this.settlements.push({ settlement, ...rest })
    this.#ended.set(known.offer.attempt_id, settlement.attemptState)
  }

  #receipt(
    { offer }: ReportedAttempt,
    receipt: Pick<ReceiptWord, 'result' | 'code' | 'networkCode' | 'deliveredAt'>,
  ): void {
    const atMs = this.#terms.nowMs
    this.receipts.push({ ...receipt, deviceId: offer.device_id, networkId: offer.attempt_id, atMs })
  }

  #stateOf({ offer, attempt }: ReportedAttempt): PlacedAttempt['state'] {
    return this.#ended.get(offer.attempt_id) ?? attempt.state
  }
}
