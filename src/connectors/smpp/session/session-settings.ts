import type { BindFields } from '../../../smpp/codec/pdu.ts'
import type { SessionLimits } from '../../../smpp/session/session-limits.ts'

/** How one session behaves. */
export interface SessionSettings extends SessionLimits {
  bindAs: 'transceiver' | 'transmitter' | 'receiver'
  /** `interfaceVersion` says what we speak, 0x34 or 0x50; the answer says what the peer speaks. */
  bind: BindFields
}
