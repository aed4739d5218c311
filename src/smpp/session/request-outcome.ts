import type { Bodies, Command } from '../codec/pdu.ts'

/** What an ESME asks of an SMSC in a bound session. */
export type RequestCommand = 'submit_sm' | 'data_sm' | 'query_sm' | 'cancel_sm' | 'replace_sm'

/** The answer to a request: its own response, or a generic_nack. A body that is missing or makes no sense is null. */
export interface Answer<C extends Command> {
  kind: 'response'
  command: C | 'generic_nack'
  sequence: number
  status: number
  body: Bodies[C] | null
  /** From the hand-over to the socket to the arrival of the answer. */
  tookMs: number
}

/**
 * Why a request never left: the session was not bound, or bound as a receiver; a field does not fit (`detail` names it); too many waited
 * already; no room came up in time; it was not wanted any more when there was room; or the session closed first.
 */
export interface NotWritten {
  kind: 'not_written'
  reason: 'not_bound' | 'receiver_only' | 'invalid' | 'queue_full' | 'no_room' | 'unwanted' | 'closed'
  detail?: string
}

/** Octets of the request were handed to the socket and no answer came: in time, or before the session closed. */
export interface Unknown {
  kind: 'unknown'
  reason: 'timeout' | 'closed'
  /** An answer that comes after a time-out, in the same session, has this number. */
  sequence: number
}

/** What became of a request; each has exactly one. `C` is the command of its response. */
export type RequestOutcome<C extends Command> = Answer<C> | NotWritten | Unknown

/** An answer to a request that was given up as `unknown`. */
export type LateAnswer = { [C in RequestCommand]: Answer<`${C}_resp`> }[RequestCommand]
