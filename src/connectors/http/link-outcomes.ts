import type { Outcome } from '../connector.ts'
import type { AccountFault } from './account-state.ts'
import type { Exchanged } from './exchange.ts'

/** Returns the outcome of what was not sent. */
export const unavailable = (detail: string): Outcome => ({ kind: 'unavailable', detail })
/** Returns a fault for people. */
export const sayFault = (fault: AccountFault | null): string =>
  fault === null ? 'The device rests.' : `${fault.reason}: ${fault.detail}`

/** What was not written because it is too late has expired; otherwise it is unwanted, or another node's. */
export const withdrawn = (isTooLate: boolean): Outcome =>
  isTooLate
    ? { kind: 'refused', lasts: 'expired', code: 'expired_in_queue', networkCode: null }
    : unavailable('The message was withdrawn before it was sent.')

/** Returns the word of an exchange for the counters: its status, or that it has none; null for what was not sent. */
export function sayExchange(exchanged: Exchanged): string | null {
  if (exchanged.kind === 'answered') return String(exchanged.answer.status)
  return exchanged.kind === 'unanswered' ? 'no_answer' : null
}
