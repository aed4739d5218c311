import type { MessageStatus } from '../../storage/tables/schema.ts'

/** What can happen to a message: the input of the state machine. */
export type Trigger =
  | 'due'
  | 'claimed'
  | 'accepted'
  | 'refused_for_now'
  | 'refused_for_good'
  | 'not_submitted'
  | 'partly_refused'
  | 'expired_at_device'
  | 'canceled_at_device'
  | 'unknown'
  | 'unknown_resend'
  | 'receipt_delivered'
  | 'receipt_undelivered'
  | 'receipt_lost'
  | 'part_undelivered'
  | 'validity_ended'
  | 'canceled'
  | 'given_up_after_restore'

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
const correct = (status: MessageStatus): Move => ({ to: status, charge: 'keep', correction: true })

/** The row of a status that no trigger changes. */
const noMoves: Record<Trigger, null> = {
  due: null,
  claimed: null,
  accepted: null,
  refused_for_now: null,
  refused_for_good: null,
  not_submitted: null,
  partly_refused: null,
  expired_at_device: null,
  canceled_at_device: null,
  unknown: null,
  unknown_resend: null,
  receipt_delivered: null,
  receipt_undelivered: null,
  receipt_lost: null,
  part_undelivered: null,
  validity_ended: null,
  canceled: null,
  given_up_after_restore: null,
}

/**
 * States × triggers, complete: null means that the trigger is refused and changes nothing.
 *
 * A message returns from `sending` to `queued` only after a recorded "nothing submitted", or once by
 * `resend_once` (P6). While it is queued, a late ack or a receipt can still show that the first attempt was
 * accepted; there is no second one to report on. `sent` is final only when no receipt is expected.
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
    claimed: to('sending', 'keep'),
    refused_for_good: to('failed', 'nothing'),
    accepted: to('sent', 'all'),
    receipt_delivered: to('delivered', 'all'),
    validity_ended: to('expired', 'nothing'),
    canceled: to('canceled', 'nothing'),
    given_up_after_restore: to('unconfirmed', 'nothing'),
  },
  sending: {
    ...noMoves,
    accepted: to('sent', 'all'),
    refused_for_now: to('queued', 'keep'),
    refused_for_good: to('failed', 'nothing'),
    not_submitted: to('queued', 'keep'),
    partly_refused: to('failed', 'taken'),
    expired_at_device: to('expired', 'nothing'),
    canceled_at_device: to('canceled', 'nothing'),
    unknown: to('unconfirmed', 'taken'),
    unknown_resend: to('queued', 'keep'),
    receipt_delivered: to('delivered', 'all'),
    receipt_undelivered: to('undelivered', 'all'),
    receipt_lost: to('unconfirmed', 'all'),
  },
  sent: {
    ...noMoves,
    receipt_delivered: to('delivered', 'keep'),
    receipt_undelivered: to('undelivered', 'keep'),
    receipt_lost: to('unconfirmed', 'keep'),
  },
  unconfirmed: {
    ...noMoves,
    accepted: correct('sent'),
    receipt_delivered: correct('delivered'),
    receipt_undelivered: correct('undelivered'),
  },
  failed: { ...noMoves, receipt_delivered: correct('delivered') },
  // A phone reports a message of several parts as delivered with its first part; a later part can still fail.
  delivered: { ...noMoves, part_undelivered: correct('undelivered') },
  undelivered: noMoves,
  expired: noMoves,
  canceled: noMoves,
  received: noMoves,
}

/** Returns the move of a trigger, or null when it is refused. */
export const moveOf = (status: MessageStatus, trigger: Trigger): Move | null => moves[status][trigger]

/**
 * Adapts a move of a message that was sent again after an unknown outcome (`resend_once`). Whether its first
 * attempt arrived is still unknown, so the message cannot become a status that means "certainly not
 * submitted" or "submitted in part".
 */
export const moveAfterUnknown = (move: Move): Move =>
  move.to === 'failed' || move.to === 'expired' || move.to === 'canceled' ? to('unconfirmed', 'taken') : move

/** True if a message that reaches this status is final. */
export const isFinal = (status: MessageStatus, receiptExpected: boolean): boolean =>
  status === 'sent' ? !receiptExpected : status !== 'scheduled' && status !== 'queued' && status !== 'sending'

/** Returns the parts to charge of a hold of `held` parts, of which `partsTaken` are known to be accepted. */
export const chargeOf = (charge: Exclude<Charge, 'keep'>, held: number, partsTaken: number): number =>
  charge === 'all' ? held : charge === 'nothing' ? 0 : Math.min(held, partsTaken)
