import type { Outcome } from '../../connectors/connector.ts'
import type { Claimed } from '../../messages/queue/claim-messages.ts'
import { claimsOf } from '../../messages/outcomes/open-attempts.ts'
import {
  type AttemptOfOffer,
  findOffers,
  markOffers,
  type OfferRow,
  readAttemptsOf,
} from '../../messages/phones/phone-offers.ts'
import { advanceMessages } from '../../messages/core/advance-messages.ts'
import { type MessageKey, type MessageState, readStates } from '../../messages/core/message-store.ts'
import { mergePhoneReport } from '../../messages/phones/merge-phone-report.ts'
import type { ReceiptWord } from '../../messages/outcomes/receipt-readings.ts'
import { settleOutcomes } from '../../messages/outcomes/settle-outcomes.ts'
import type { Settlement } from '../../messages/outcomes/settlement.ts'
import { arrivalOf, settleReceipts } from '../../messages/outcomes/settle-receipts.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { MessageStatus } from '../../storage/tables/schema.ts'
import {
  type FailureMeaning,
  type JudgeFailure,
  type PhoneReport,
  reasonOf,
  timesWithin,
} from './phone-report.ts'
import { type HasAnother, judgeLate, judgeOutcome } from '../routes/retry-policy.ts'
import { findStopped } from './stopped-claims.ts'

/** What became of the hand-overs that were reported on. */
export interface Reported {
  deviceId: string
  outcome: Outcome
  status: MessageStatus | null
  claimed: Claimed
  /** The route on which its message goes on, should it wait again. */
  routeKey: string
}

export interface ReportTerms {
  nowMs: number
  /** From where back-offs count. */
  dueFromMs: number
  judgeFailure: JudgeFailure
  another?: HasAnother
}

/**
 * Stores what phones say, as one unit: how far they are, and what follows for messages and money. A phone never goes again on a guess, and
 * reports of attempts that neither its device nor its registration was given are passed over. Gives of each report whether it told anything new,
 * null for those that are passed over.
 */
export async function settleReports(
  tx: Tx,
  reports: readonly PhoneReport[],
  times: ReportTerms,
): Promise<{ reported: Reported[]; statuses: MessageStatus[]; areNews: (boolean | null)[] }> {
  const offers = new Map(
    (await findOffers(tx, [...new Set(reports.map((report) => report.attemptId))])).map((row) => [
      row.attempt_id,
      row,
    ]),
  )
  const attempts = await readAttemptsOf(tx, [...offers.values()])
  const claims = new Map(
    (await claimsOf(tx, [...attempts.values()])).map((claim) => [claim.attemptId, claim]),
  )
  const stopped = await findStopped(
    tx,
    [...claims.values()].filter(({ attemptId }) => offers.get(attemptId)?.recall === 'cancel'),
    times,
  )
  const merging = new ReportMerge(times)
  const areNews = reports.map((report) => {
    const offer = offers.get(report.attemptId)
    const attempt = attempts.get(report.attemptId)
    const claimed = claims.get(report.attemptId)
    // A message that retention has removed is nobody's any more.
    if (
      offer === undefined ||
      attempt === undefined ||
      claimed === undefined ||
      !(offer.device_id === report.deviceId || offer.phone_id === report.phoneId)
    )
      return null
    const isStopped = stopped.has(report.attemptId)
    return merging.take(report, { offer, attempt, claimed: { ...claimed, onUnknown: 'stop' }, isStopped })
  })
  const states = await settleOutcomes(
    tx,
    merging.settlements.map(({ settlement }) => settlement),
  )
  const moved = [
    ...(await settleReceipts(tx, merging.words)),
    ...(await correctDelivered(tx, merging.corrections, times.nowMs)),
  ]
  await markOffers(tx, merging.marks)
  const reported = merging.settlements.map(({ settlement, outcome, claimed }, i) => ({
    deviceId: settlement.deviceId,
    outcome,
    status: states[i]?.status ?? null,
    claimed,
    routeKey: settlement.requeue?.routeKey ?? settlement.place.route_key,
  }))
  const statuses = [...states, ...moved].flatMap((state) => state?.status ?? [])
  return { reported, statuses, areNews }
}

/** Messages of which a part turned out not to arrive, behind what is told of the same ones before: what an earlier try lost says nothing of the last. */
async function correctDelivered(
  tx: Tx,
  corrections: ReportMerge['corrections'],
  atMs: number,
): Promise<MessageState[]> {
  if (corrections.length === 0) return []
  const states = new Map((await readStates(tx, corrections)).map((message) => [message.id, message]))
  const advances = corrections.flatMap(({ messageId, attemptNumber, error }) => {
    const message = states.get(messageId)
    return message?.attempts !== attemptNumber
      ? []
      : [{ message, event: 'part_undelivered' as const, atMs, error }]
  })
  return (await advanceMessages(tx, advances)).filter((state) => state !== null)
}

interface Known {
  offer: OfferRow
  attempt: AttemptOfOffer
  claimed: Claimed
  /** Whether it is to be canceled because its number has opted out. */
  isStopped: boolean
}

const canceledFor = (code: 'recipient_opted_out' | 'canceled_by_user') => ({ code, networkCode: null })

/** What would go again, and is to be canceled, ends here: nothing of it was submitted. */
const asWished = ({ offer: { recall }, isStopped }: Known, settlement: Settlement): Settlement =>
  recall !== 'cancel' || settlement.requeue === null
    ? settlement
    : {
        ...settlement,
        event: 'canceled_at_device',
        outcome: 'canceled',
        requeue: null,
        error: canceledFor(isStopped ? 'recipient_opted_out' : 'canceled_by_user'),
      }

/** Works through the reports of one batch in their order, each seeing what the ones before it said. */
class ReportMerge {
  readonly settlements: { settlement: Settlement; outcome: Outcome; claimed: Claimed }[] = []
  readonly words: ReceiptWord[] = []
  readonly corrections: (MessageKey & {
    attemptNumber: number
    error: { code: string; networkCode: string | null }
  })[] = []
  readonly #terms: ReportTerms
  readonly #marks = new Map<string, Parameters<typeof markOffers>[1][number]>()
  readonly #ended = new Map<string, AttemptOfOffer['state']>()

  constructor(terms: ReportTerms) {
    this.#terms = terms
  }

  get marks(): Parameters<typeof markOffers>[1] {
    return [...this.#marks.values()]
  }

  /** Gives whether it told anything new. */
  take(report: PhoneReport, known: Known): boolean {
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

  #advance(report: PhoneReport, known: Known): void {
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

  /** The network took it: told once, however the phone tells it. */
  #accepted({ sentAt }: PhoneReport, known: Known): void {
    if (this.#stateOf(known) === 'accepted') return
    const taken = { kind: 'accepted', networkIds: [known.offer.attempt_id], receiptExpected: true } as const
    this.#settle(known, sentAt === undefined ? taken : { ...taken, sentAt })
  }

  #failed(report: PhoneReport, known: Known): void {
    const meaning = this.#meaningOf(report.error, known)
    const wasAccepted = this.#stateOf(known) === 'accepted'
    if (meaning.kind !== 'undelivered' && !wasAccepted) return this.#settle(known, meaning)
    this.#accepted(report, known)
    this.#receipt(known, { result: 'undelivered', ...reasonOf(meaning) })
  }

  /** Its first part was delivered, and another was not: the message is not what it was said to be. */
  #partFailed(error: string | null, known: Known): void {
    const meaning = this.#meaningOf(error, known)
    const { accountId, mode, messageId, attemptNumber } = known.claimed
    this.corrections.push({ accountId, mode, messageId, attemptNumber, error: reasonOf(meaning) })
  }

  /** By its own clock, which may go ahead unknown to us, a phone calls expired what is not: nothing was submitted, and it goes again. */
  #meaningOf(error: string | null, { claimed }: Known): FailureMeaning {
    const said = this.#terms.judgeFailure(error, { parts: claimed.parts })
    const isEarly =
      said.kind === 'refused' && said.lasts === 'expired' && claimed.expiresAt > this.#terms.nowMs
    return isEarly ? { ...said, lasts: 'now', code: 'device_error' } : said
  }

  /**
   * It let the message go before it was sent: what was only to be moved may go elsewhere. What nobody wanted back counts as refused, so
   * that a phone that lets go of everything does not get it for ever.
   */
  #canceled(known: Known): void {
    if (this.#stateOf(known) !== 'handing_over') return
    const isWished = known.offer.recall !== null
    this.#settle(
      known,
      isWished
        ? { kind: 'unavailable', detail: 'The phone let it go.' }
        : { kind: 'refused', lasts: 'now', code: 'device_error', networkCode: null },
    )
  }

  #settle(known: Known, outcome: Outcome): void {
    const { settlement, ...rest } = this.#settlementOf(known, outcome)
    this.#push(known, settlement, rest)
  }

  /** Of an attempt that had ended without the phone's word, it is a late one: it corrects, and nothing goes again. */
  #settlementOf(
    known: Known,
    outcome: Outcome,
  ): { settlement: Settlement; outcome: Outcome; claimed: Claimed } {
    const { claimed } = known
    const { nowMs, dueFromMs, another } = this.#terms
    const settlement =
      this.#stateOf(known) === 'handing_over'
        ? asWished(known, judgeOutcome(claimed, outcome, nowMs, dueFromMs, another))
        : judgeLate(claimed, outcome, nowMs, [])
    return { settlement, outcome, claimed }
  }

  #push(known: Known, settlement: Settlement, rest: { outcome: Outcome; claimed: Claimed }): void {
    this.settlements.push({ settlement, ...rest })
    this.#ended.set(known.offer.attempt_id, settlement.attemptState)
  }

  #receipt(
    { offer }: Known,
    said: Pick<ReceiptWord, 'result' | 'code' | 'networkCode' | 'deliveredAt'>,
  ): void {
    const atMs = this.#terms.nowMs
    this.words.push({ ...said, deviceId: offer.device_id, networkId: offer.attempt_id, atMs })
  }

  #stateOf({ offer, attempt }: Known): AttemptOfOffer['state'] {
    return this.#ended.get(offer.attempt_id) ?? attempt.state
  }
}
