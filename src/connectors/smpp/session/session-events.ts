import type { ConnectionFault } from '../../../smpp/session/connection.ts'
import type { MalformedPdu } from '../../../smpp/codec/decode-pdu.ts'
import type { Delivery } from '../../../smpp/session/deliveries.ts'
import type { DeliveryResult } from '../../../smpp/session/delivery-result.ts'
import { commandStatus, type Pdu } from '../../../smpp/codec/pdu.ts'
import type { LateAnswer } from '../../../smpp/session/request-outcome.ts'

/** Why a session is over. `detail` is for people; it holds no secret. */
export type SessionEnd =
  | ConnectionFault
  /** A status of 0 is a generic_nack that does not say why. */
  | { kind: 'bind_refused'; status: number; detail: string }
  | { kind: 'bind_timeout' | 'no_enquire_link_answer'; detail: string }
  /** The settings cannot be put into a PDU, or no socket be made of them. */
  | { kind: 'invalid_settings'; detail: string }
  /** By us: asked for, after inactivity, or at once. */
  | { kind: 'unbound' | 'inactive' | 'aborted'; detail: string }
  | { kind: 'peer_unbound'; detail: string }

/** The last word to a peer of which nobody knows where its next PDU begins. */
export const framingLost: Pdu = {
  command: 'generic_nack',
  status: commandStatus.ESME_RINVCMDLEN,
  sequence: 0,
  body: null,
}

export const deadPeer: SessionEnd = { kind: 'no_enquire_link_answer', detail: 'the peer does not answer' }

/** What a session tells unasked. Only `store` may fail. */
export interface SessionEvents {
  /** A message or a receipt: it is answered with a yes when the promise resolves, and comes again when it rejects. */
  store(delivery: Delivery, fate: DeliveryResult): Promise<void>
  /** The answer to a request that ended `unknown` by a time-out came after all. */
  late(answer: LateAnswer): void
  /** There may be more room than before. */
  room(): void
  /** What the peer sent and nobody waited for: alerts, outbinds, stray answers, unknown commands, bodies that make no sense or end in what does not. */
  odd(pdu: Pdu | MalformedPdu): void
  /** Every PDU, both ways. A bind carries the password. */
  trace?(direction: 'in' | 'out', pdu: Pdu | MalformedPdu): void
}
