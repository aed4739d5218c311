import type { WrittenWay } from '../../devices/routes/ways-store.ts'
import type { ProblemCode, RefusalExtra } from '../../runtime/errors.ts'
import type {
  Category,
  Encoding,
  Fallback,
  Mode,
  OnUnknown,
  Payer,
  SendTable,
} from '../../storage/tables/schema.ts'
import type { Selectable } from 'kysely'
import type { StampPlace } from '../core/change-number.ts'
import type { MessageRow } from '../core/message-store.ts'

/** A warning about an accepted send; returned to the client and stored with its idempotency key. */
export interface Warning {
  code: string
  message: string
  [member: string]: unknown
}

/**
 * A valid `POST /api/v1/send`: checked and priced, with its IDs; only balance and queue can still reject it.
 */
export interface SendRequest {
  sendId: string
  /** One for each recipient. The unit that stores them gives them their place: see `stampIds`. */
  messageIds: readonly string[]
  accountId: string
  mode: Mode
  keyId: string
  /** Maximum SMS that this key can reserve in a UTC day; null = no limit. */
  dailyCap: number | null
  /** Maximum queued messages; 0 = no limit. */
  queueLimit: number
  createdAt: number
  idempotency: { key: string; fingerprint: string } | null
  recipients: readonly SendRecipient[]
  /** The ways of the recipients that are to be stored with them. Omitted: none. */
  ways?: readonly WrittenWay[]
  from: string | null
  category: Category
  text: string
  encoding: Encoding
  /** UCS-2 was requested although GSM-7 has all characters. */
  encodingForced?: boolean
  units: number
  /** Omitted: the balance. */
  paidBy?: Payer
  /** Own devices of the account are free, and shared devices may carry the messages for the balance. */
  fallback?: Fallback
  /** Parts of each message. */
  parts: number
  smartEncodingApplied: boolean
  onUnknown: OnUnknown
  /** Another message follows one that was not delivered, over the rest of its way. */
  onUndelivered?: 'next_way'
  /** It follows another message: devices that must not submit it. */
  excludes?: readonly string[]
  clientReference: string | null
  /** JSON text. */
  metadata: string
  /** Send time; omitted to send immediately. */
  sendAt?: number
  /** Counted from `sendAt`, if set. */
  expiresAt: number
  warnings: readonly Warning[]
  /** Added to the warnings if the balance is at or below its threshold after this send. */
  lowBalanceWarning?: Warning
}

/** One recipient of a send. */
export interface SendRecipient {
  to: string
  country: string | null
  /** ID of its way, or the device that the sender chose. Omitted: the usual way. */
  way?: string
}

/** A send that was stored under an Idempotency-Key, as needed to repeat its response. */
export interface StoredSend {
  fingerprint: string
  send: Selectable<SendTable>
  messages: readonly MessageRow[]
  /** JSON text. */
  warnings: string
  balanceAvailable: number
}

export type SendResult =
  | { kind: 'accepted'; balanceAvailable: number; isLow: boolean; place: StampPlace }
  | { kind: 'replayed'; replay: StoredSend }
  | { kind: 'refused'; code: ProblemCode; extra: RefusalExtra }
