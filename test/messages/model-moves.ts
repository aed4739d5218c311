import { type Fate, fateOf, type ModelStanding } from './model-fate.ts'
import type { ModelMessage, ModelOutcome } from './model-message.ts'
import { payerOf, takenBy } from './model-purses.ts'

/** When and how a message goes again, or how its device ended it. */
export interface AfterAttempt {
  standing: ModelStanding
  again: { dueAt: number; refusals: number; wentAgain: boolean } | null
}

const over = (end: string | null): AfterAttempt => ({ standing: { waits: false, end }, again: null })

/** What the end of its open attempt means for a message, before anything else that is known. */
export function afterAttempt(message: ModelMessage, outcome: ModelOutcome, nowMs: number): AfterAttempt {
  const { dueAt, refusals, wentAgain } = message
  const again = (more: Partial<NonNullable<AfterAttempt['again']>>): AfterAttempt => ({
    standing: { waits: true, end: null },
    again: { dueAt, refusals, wentAgain, ...more },
  })
  switch (outcome.kind) {
    case 'accepted':
    case 'partial':
      // Of nothing taken at all it is a failure as well.
      return over(outcome.kind === 'partial' ? 'failed' : null)
    case 'unavailable':
      return again({})
    case 'unknown':
      return message.resendOnce && !wentAgain ? again({ dueAt: nowMs, wentAgain: true }) : over(null)
    case 'refused': {
      if (outcome.lasts === 'expired') return over('expired')
      // It keeps its place: the device rests.
      if (outcome.lasts === 'busy') return again({})
      const delayMs = outcome.lasts === 'now' ? [15_000, 60_000][refusals] : undefined
      return delayMs === undefined
        ? over('failed')
        : again({ dueAt: nowMs + delayMs, refusals: refusals + 1 })
    }
  }
}

const corrections: Readonly<Record<string, readonly string[]>> = {
  unconfirmed: ['sent', 'delivered', 'undelivered'],
  failed: ['delivered'],
  sent: ['delivered', 'undelivered'],
  undelivered: ['delivered'],
}

/** It was sent, and is waited for: final or not, silence may still make it unconfirmed. */
export const isWaitedFor = ({ status, isFinal, wasCorrected }: ModelMessage): boolean =>
  status === 'sent' && (!isFinal || wasCorrected)

/** How one message of the model moves, and what that costs its account. */
export class ModelMoves {
  readonly #now: () => number
  readonly #used: (message: ModelMessage, sms: number) => void

  constructor(now: () => number, used: (message: ModelMessage, sms: number) => void) {
    this.#now = now
    this.#used = used
  }

  /** Moves a message to what all that is known makes of it. Gives that, and whether it moved. */
  judge(message: ModelMessage, standing = standingOf(message)): { fate: Fate; hasMoved: boolean } {
    const fate = fateOf(message, standing)
    return { fate, hasMoved: this.#apply(message, fate) }
  }

  #apply(message: ModelMessage, fate: Fate): boolean {
    const { status, isFinal, wasCorrected } = message
    if (status === fate.status && (isFinal || !fate.isFinal)) return false
    if (isFinal && !this.#mayCorrect(message, fate.status)) return false
    message.wasCorrected = wasCorrected || isFinal
    countTaken(message)
    if (!isFinal && fate.charge !== 'keep' && message.cost === 'held') {
      const charged = { all: message.parts, taken: message.partsTaken, nothing: 0 }[fate.charge]
      this.#charge(message, charged, fate.charge === 'all' ? fate.by : takenBy(message))
    }
    message.status = fate.status
    if (fate.isFinal || isFinal) this.#settle(message)
    return true
  }

  #mayCorrect(message: ModelMessage, status: string): boolean {
    const isLost = isWaitedFor(message) && status === 'unconfirmed'
    return isLost || corrections[message.status]?.includes(status) === true
  }

  /** The queue ends it: nothing of it is submitted any more. */
  finish(message: ModelMessage, status: string): void {
    // Of what went again, what is known of its tries counts, also what was told of them while it waited.
    if (message.wentAgain) countTaken(message)
    const fate = message.wentAgain ? fateOf(message, { waits: false, end: status }) : null
    const charged = fate?.charge === 'all' ? message.parts : fate?.charge === 'taken' ? message.partsTaken : 0
    this.#charge(message, charged, fate?.charge === 'all' ? fate.by : takenBy(message))
    message.status = fate?.status ?? status
    this.#settle(message)
  }

  #settle(message: ModelMessage): void {
    message.isFinal = true
    message.settledAt = this.#now()
  }

  /** What is charged was submitted by attempt `number`. */
  #charge(message: ModelMessage, charged: number, number: number): void {
    message.charged = charged
    message.cost = charged === 0 ? 'released' : charged < message.parts ? 'partial' : 'charged'
    if (charged > 0) message.paidBy = payerOf(message, number)
    this.#used(message, charged)
  }
}

/** Parts that one of its tries is known to have had taken. */
function countTaken(message: ModelMessage): void {
  const byTries = [...message.tries.values()].map(({ partsTaken }) => partsTaken)
  message.partsTaken = Math.min(message.parts, Math.max(message.partsTaken, ...byTries))
}

const endStatuses: readonly string[] = ['failed', 'expired', 'canceled', 'unconfirmed']

const standingOf = ({ status, isFinal }: ModelMessage): ModelStanding => ({
  waits: status === 'queued',
  end: isFinal && endStatuses.includes(status) ? status : null,
})
