import type { ProblemCode, RefusalExtra } from '../../runtime/errors.ts'
import type { Category, Encoding, Mode, OnUnknown, SendTable } from '../../storage/tables/schema.ts'
import type { Selectable } from 'kysely'
import type { MessageRow } from '../core/message-store.ts'

/** A remark that goes with an accepted send; shown to the caller and stored with its idempotency key. */
export interface Warning {
  code: string
  message: string
  [member: string]: unknown
}

/** One accepted-as-to-form `POST /api/v1/send`: checked, priced, with its ids; only money and the queue may still refuse it. */
export interface SendRequest {
  sendId: string
  /** One for each recipient, ascending. */
  messageIds: readonly string[]
  accountId: string
  mode: Mode
  keyId: string
  /** SMS that this key may reserve in a UTC day; null without a cap. */
  dailyCap: number | null
  /** Messages that may wait; 0 without a limit. */
  queueLimit: number
  createdAt: number
  idempotency: { key: string; fingerprint: string } | null
  recipients: readonly { to: string; country: string | null }[]
  from: string | null
  category: Category
  text: string
  encoding: Encoding
  /** UCS-2 was asked for although GSM-7 has every character of it. */
  encodingForced?: boolean
  units: number
  /** Parts of each message. */
  parts: number
  smartEncodingApplied: boolean
  onUnknown: OnUnknown
  clientReference: string | null
  /** JSON text. */
  metadata: string
  /** When it is to be sent; left out for at once. */
  sendAt?: number
  /** Counted from `sendAt` where there is one. */
  expiresAt: number
  warnings: readonly Warning[]
  /** Joins the warnings when the balance is at or below its threshold after this send. */
  lowBalanceWarning?: Warning
}

/** A send that was stored under an Idempotency-Key, as needed to give its answer again. */
export interface StoredSend {
  fingerprint: string
  send: Selectable<SendTable>
  messages: readonly MessageRow[]
  /** JSON text. */
  warnings: string
  balanceAvailable: number
}

export type SendResult =
  | { kind: 'accepted'; balanceAvailable: number; isLow: boolean }
  | { kind: 'replayed'; replay: StoredSend }
  | { kind: 'refused'; code: ProblemCode; extra: RefusalExtra }
  /** A page of history has passed by its time on another node: it is to be made anew, not before `floorMs`. */
  | { kind: 'late'; floorMs: number }
