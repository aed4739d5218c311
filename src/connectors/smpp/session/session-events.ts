import type { ConnectionFault } from '../../../smpp/session/connection.ts'
import type { MalformedPdu } from '../../../smpp/codec/decode-pdu.ts'
import type { IncomingPdu } from '../../../smpp/session/deliveries.ts'
import type { AckState } from '../../../smpp/session/ack-state.ts'
import { commandStatus, type Pdu } from '../../../smpp/codec/pdu.ts'
import type { LateAnswer } from '../../../smpp/session/request-outcome.ts'

/** Why a session ended. `detail` is for people; it contains no secret. */
export type SessionEnd =
  | ConnectionFault
  /** A status of 0 is a generic_nack without a reason. */
  | { kind: 'bind_refused'; status: number; detail: string }
  | { kind: 'bind_timeout' | 'no_enquire_link_answer'; detail: string }
  /** The settings cannot be encoded in a PDU, or yield no socket. */
  | { kind: 'invalid_settings'; detail: string }
  /** By this side: requested, after inactivity, or immediately. */
  | { kind: 'unbound' | 'inactive' | 'aborted'; detail: string }
  | { kind: 'peer_unbound'; detail: string }

/** The last PDU to a peer when it is unknown where its next PDU begins. */
export const framingLost: Pdu = {
  command: 'generic_nack',
  status: commandStatus.ESME_RINVCMDLEN,
  sequence: 0,
  body: null,
}

export const deadPeer: SessionEnd = { kind: 'no_enquire_link_answer', detail: 'the peer does not respond' }

/** Events of a session. Only `store` may fail. */
export interface SessionEvents {
  /** A message or a receipt: acked when the promise resolves, and delivered again when it rejects. */
  store(delivery: IncomingPdu, ackState: AckState): Promise<void>
  /** The response to a request that had timed out as `unknown` arrived after all. */
  late(answer: LateAnswer): void
  /** There may be more room than before. */
  room(): void
  /**
   * Unexpected PDUs: alerts, outbinds, stray responses, unknown commands, bodies that are invalid or have an
   * invalid end.
   */
  odd(pdu: Pdu | MalformedPdu): void
  /** Every PDU, both ways. A bind contains the password. */
  trace?(direction: 'in' | 'out', pdu: Pdu | MalformedPdu): void
}
