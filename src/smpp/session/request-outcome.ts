import type { Bodies, Command } from '../codec/pdu.ts'

/** The requests of an ESME to an SMSC in a bound session. */
export type RequestCommand = 'submit_sm' | 'data_sm' | 'query_sm' | 'cancel_sm' | 'replace_sm'

/** The response to a request: its own, or a generic_nack. A body that is missing or invalid is null. */
export interface Answer<C extends Command> {
  kind: 'response'
  command: C | 'generic_nack'
  sequence: number
  status: number
  body: Bodies[C] | null
  /** From passing it to the socket to the arrival of the response. */
  tookMs: number
}

/**
 * Why a request was not sent: the session was not bound, or bound as a receiver; a field does not fit
 * (`detail` names it); too many were waiting; no room became free in time; it was no longer wanted when there
 * was room; or the session closed first.
 */
export interface NotWritten {
  kind: 'not_written'
  reason: 'not_bound' | 'receiver_only' | 'invalid' | 'queue_full' | 'no_room' | 'unwanted' | 'closed'
  detail?: string
}

/** Octets of the request were passed to the socket and no response arrived in time, or before the session closed. */
export interface Unknown {
  kind: 'unknown'
  reason: 'timeout' | 'closed'
  /** A response that arrives after a timeout, in the same session, has this number. */
  sequence: number
}

/** The outcome of a request; each has exactly one. `C` is the command of its response. */
export type RequestOutcome<C extends Command> = Answer<C> | NotWritten | Unknown

/** A response to a request that had timed out as `unknown`. */
export type LateAnswer = { [C in RequestCommand]: Answer<`${C}_resp`> }[RequestCommand]
