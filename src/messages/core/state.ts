import type { MessageStatus } from '../../storage/tables/schema.ts'

/**
 * What happens to a message in the queue, and after it, that no report on an attempt tells (verdict.ts). A claim opens an
 * attempt, which makes its message `sending` (open-attempt.ts).
 */
export type Trigger = 'due' | 'validity_ended' | 'canceled' | 'given_up_after_restore'

/**
 * What a move does with the hold: charge all parts, the parts known to be accepted, or none; `keep` changes
 * nothing.
 */
export type Charge = 'all' | 'taken' | 'nothing' | 'keep'

export interface Move {
  to: MessageStatus
  charge: Charge
  /** A late report about a final message: changes the status, never the cost. */
  correction?: true
}

const to = (status: MessageStatus, charge: Charge): Move => ({ to: status, charge })

/** The row of a status that no trigger changes. */
const noMoves: Record<Trigger, null> = {
  due: null,
  validity_ended: null,
  canceled: null,
  given_up_after_restore: null,
}

/**
 * States × triggers, complete: null means that the trigger is refused and changes nothing. All other moves follow from
 * the evidence of the attempts (verdict.ts). A message leaves the queue for good only by these, or by what was sent.
 */
export const moves: Record<MessageStatus, Record<Trigger, Move | null>> = {
  scheduled: {
    ...noMoves,
    due: to('queued', 'keep'),
    canceled: to('canceled', 'nothing'),
    given_up_after_restore: to('unconfirmed', 'nothing'),
  },
  queued: {
    ...noMoves,
    validity_ended: to('expired', 'nothing'),
    canceled: to('canceled', 'nothing'),
    given_up_after_restore: to('unconfirmed', 'nothing'),
  },
  sending: noMoves,
  sent: noMoves,
  unconfirmed: noMoves,
  failed: noMoves,
  delivered: noMoves,
  undelivered: noMoves,
  expired: noMoves,
  canceled: noMoves,
  received: noMoves,
}

/** Returns the move of a trigger, or null when it is refused. */
export const moveOf = (status: MessageStatus, trigger: Trigger): Move | null => moves[status][trigger]

/** True if a message that reaches this status is final. */
export const isFinal = (status: MessageStatus, receiptExpected: boolean): boolean =>
  status === 'sent' ? !receiptExpected : status !== 'scheduled' && status !== 'queued' && status !== 'sending'

/** Returns the parts to charge of a hold of `held` parts, of which `partsTaken` are known to be accepted. */
export const chargeOf = (charge: Exclude<Charge, 'keep'>, held: number, partsTaken: number): number =>
  charge === 'all' ? held : charge === 'nothing' ? 0 : Math.min(held, partsTaken)
