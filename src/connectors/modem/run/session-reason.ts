import type { LineReason } from '../line/line.ts'
import type { ModemFault } from '../setup/bring-up.ts'

/** Why a session does not carry anything, or not everything. */
export type SessionReason =
  | LineReason
  | ModemFault
  | 'connecting'
  | 'not_registered'
  | 'no_smsc'
  | 'storage_full'
  | 'receives_nothing'
  | 'credit_low'
