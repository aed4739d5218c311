import type { BindFields } from '../../../smpp/codec/pdu.ts'
import type { SessionLimits } from '../../../smpp/session/session-limits.ts'

/** The settings of one session. */
export interface SessionSettings extends SessionLimits {
  bindAs: 'transceiver' | 'transmitter' | 'receiver'
  /** `interfaceVersion` is our version, 0x34 or 0x50; the response contains the peer's. */
  bind: BindFields
}
