import type { ModelMessage, ModelOutcome, ReceiptResult } from './model-message.ts'
import { payerOf, take } from './model-purses.ts'

/** How one message of the model moves, and what that costs its account. */
export class ModelMoves {
  readonly #now: () => number
  readonly #used: (message: ModelMessage, sms: number) => void

  constructor(now: () => number, used: (message: ModelMessage, sms: number) => void) {
    this.#now = now
    this.#used = used
  }

  by(
    message: ModelMessage,
    { number, outcome, isLate }: { number: number; outcome: ModelOutcome; isLate: boolean },
    nowMs: number,
  ): void {
    const { status } = message
    const isLateYes = isLate && outcome.kind === 'accepted'
    if (isLateYes && (status === 'queued' || status === 'unconfirmed'))
      for (const part of message.waitedFor.values())
        if (part.attempt === number) part.isWhole = part.isWholeAfterYes
    // Sent before, and of no known end: said twice, its yes tells nothing new.
    if (status === 'unconfirmed' && outcome.kind === 'accepted' && message.wasSent) return
    if (status === 'unconfirmed' && outcome.kind === 'accepted') {
      this.#correct(message, 'sent')
      return
    }
    // A yes to the first try, told by a process that stood still, ends the wait for the second.
    if (status !== 'sending' && !(status === 'queued' && isLateYes)) return
    if ('partsTaken' in outcome) take(message, number, outcome.partsTaken)
    switch (outcome.kind) {
      case 'accepted':
        this.#charge(message, message.parts, number)
        message.status = 'sent'
        message.wasSent = true
        if (!outcome.receipts) this.#settle(message)
        return
      case 'partial':
        return this.finish(message, 'failed', message.partsTaken)
      case 'unavailable':
        return this.#again(message, message.dueAt)
      case 'unknown':
        if (!message.resendOnce || message.wentAgain)
          return this.finish(message, 'unconfirmed', message.partsTaken)
        message.wentAgain = true
        return this.#again(message, nowMs)
      case 'refused':
        return this.#refuse(message, outcome.lasts, nowMs)
    }
  }

  #refuse(message: ModelMessage, lasts: 'good' | 'now' | 'busy' | 'expired', nowMs: number): void {
    if (lasts === 'expired') return this.finish(message, 'expired', 0)
    // It keeps its place: the device rests.
    if (lasts === 'busy') return this.#again(message, message.dueAt)
    const delayMs = lasts === 'now' ? [15_000, 60_000][message.refusals] : undefined
    if (delayMs === undefined) return this.finish(message, 'failed', 0)
    message.refusals += 1
    this.#again(message, nowMs + delayMs)
  }

  /** A receipt for what attempt `number` submitted. */
  report(message: ModelMessage, result: ReceiptResult, number: number): void {
    const { status } = message
    const end = result === 'lost' ? 'unconfirmed' : result
    if (status === 'sending') this.finish(message, end, message.parts, number)
    else if (status === 'queued' && result === 'delivered') this.finish(message, end, message.parts, number)
    else if (status === 'sent') {
      // Without a receipt to wait for it was final, and told as that.
      message.wasCorrected ||= message.isFinal
      message.status = end
      this.#settle(message)
    } else if (status === 'unconfirmed' && result !== 'lost') this.#correct(message, end)
    else if (status === 'failed' && result === 'delivered') this.#correct(message, end)
  }

  #again(message: ModelMessage, dueAt: number): void {
    message.status = 'queued'
    message.dueAt = dueAt
  }

  /** What is charged was submitted by attempt `number`: usually the parts that are known to be taken. */
  finish(message: ModelMessage, status: string, charged: number, number = message.takenBy): void {
    // What became of its first try is unknown for ever.
    const isInDoubt = message.wentAgain && ['failed', 'expired', 'canceled'].includes(status)
    this.#charge(message, isInDoubt ? message.partsTaken : charged, number)
    message.status = isInDoubt ? 'unconfirmed' : status
    this.#settle(message)
  }

  #settle(message: ModelMessage): void {
    message.isFinal = true
    message.settledAt = this.#now()
  }

  #charge(message: ModelMessage, charged: number, number: number): void {
    message.charged = charged
    message.cost = charged === 0 ? 'released' : charged < message.parts ? 'partial' : 'charged'
    if (charged > 0) message.paidBy = payerOf(message, number)
    this.#used(message, charged)
  }

  #correct(message: ModelMessage, status: string): void {
    message.status = status
    message.wasSent = true
    message.wasCorrected = true
    this.#settle(message)
  }
}
