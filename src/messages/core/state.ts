import type { MessageStatus } from '../../storage/tables/schema.ts'

/** What can happen to a message. */
export type MessageEvent =
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

/** What a move does to the hold: charge every part, the parts known to be taken, or none; `keep` leaves money alone. */
export type Charge = 'all' | 'taken' | 'nothing' | 'keep'

export interface Move {
  to: MessageStatus
  charge: Charge
  /** A late word on a final message: it changes the status and never the money. */
  correction?: true
}

const to = (status: MessageStatus, charge: Charge): Move => ({ to: status, charge })
const correct = (status: MessageStatus): Move => ({ to: status, charge: 'keep', correction: true })

/** Nothing moves it any more. */
const settled: Record<MessageEvent, null> = {
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
 * States × events, total: null is a refusal, and nothing moves. A message that was ever `sending` comes back to `queued` only by a
 * recorded "nothing submitted", or once by the caller's `resend_once` (P6); while it waits there, a late answer or a receipt
 * may still tell that the first try was taken, and none can tell of a second. `sent` is final only without a receipt to wait for.
 */
export const moves: Record<MessageStatus, Record<MessageEvent, Move | null>> = {
  scheduled: {
    ...settled,
    due: to('queued', 'keep'),
    canceled: to('canceled', 'nothing'),
    given_up_after_restore: to('unconfirmed', 'nothing'),
  },
  queued: {
    ...settled,
    claimed: to('sending', 'keep'),
    refused_for_good: to('failed', 'nothing'),
    accepted: to('sent', 'all'),
    receipt_delivered: to('delivered', 'all'),
    validity_ended: to('expired', 'nothing'),
    canceled: to('canceled', 'nothing'),
    given_up_after_restore: to('unconfirmed', 'nothing'),
  },
  sending: {
    ...settled,
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
    ...settled,
    receipt_delivered: to('delivered', 'keep'),
    receipt_undelivered: to('undelivered', 'keep'),
    receipt_lost: to('unconfirmed', 'keep'),
  },
  unconfirmed: {
    ...settled,
    accepted: correct('sent'),
    receipt_delivered: correct('delivered'),
    receipt_undelivered: correct('undelivered'),
  },
  failed: { ...settled, receipt_delivered: correct('delivered') },
  // A phone tells a text of several parts as delivered with its first part, and a later one may be lost.
  delivered: { ...settled, part_undelivered: correct('undelivered') },
  undelivered: settled,
  expired: settled,
  canceled: settled,
  received: settled,
}

/** Where `event` takes a message, or null when it may not. */
export const moveOf = (status: MessageStatus, event: MessageEvent): Move | null => moves[status][event]

/**
 * The same move for a message that goes again after an unknown outcome (`resend_once`): what became of its first try is still unknown, so
 * it cannot end as certainly not submitted, nor as only partly.
 */
export const moveInDoubt = (move: Move): Move =>
  move.to === 'failed' || move.to === 'expired' || move.to === 'canceled' ? to('unconfirmed', 'taken') : move

/** Whether a message that arrives in this state is done with. */
export const isFinal = (status: MessageStatus, receiptExpected: boolean): boolean =>
  status === 'sent' ? !receiptExpected : status !== 'scheduled' && status !== 'queued' && status !== 'sending'

/** The parts to charge of a hold of `held` parts, of which `partsTaken` are known to have been taken. */
export const chargeOf = (charge: Exclude<Charge, 'keep'>, held: number, partsTaken: number): number =>
  charge === 'all' ? held : charge === 'nothing' ? 0 : Math.min(held, partsTaken)
