import type { Generated } from 'kysely'
import type { PartReport, PlanCounts, JsonText } from './json-columns.ts'
import type {
  AttemptState,
  Category,
  CostState,
  DeferReason,
  Direction,
  Encoding,
  Fallback,
  Flag,
  MessageStatus,
  Mode,
  OnUnknown,
  OptOutOrigin,
  Payer,
  PhoneWord,
} from './column-values.ts'

/** The tables of a message from acceptance to its final status. */

export interface SendTable {
  account_id: string
  id: string
  mode: Mode
  key_id: string
  first_message_id: string
  last_message_id: string
  smart_encoding_applied: Flag
  created_at: number
  send_at: number | null
}

export interface IdempotencyKeyTable {
  account_id: string
  mode: Mode
  key: string
  fingerprint: string
  send_id: string
  warnings: string
  balance_available: number
  created_at: number
}

export interface MessageTable {
  account_id: string
  mode: Mode
  id: string
  send_id: string | null
  /** The key of a send without a row in `sends` (lone-sends.ts). */
  key_id: string | null
  direction: Direction
  status: MessageStatus
  recipient: string
  sender: string | null
  country: string | null
  category: Category
  text: string | null
  text_redacted: Flag
  encoding: Encoding
  units: number
  parts: number
  parts_sent: number
  /** The parts that were reserved. It stays as it was after they are charged or released (`cost_state`). */
  held: number
  charged: number
  cost_state: CostState
  on_unknown: OnUnknown
  paid_by: Generated<Payer>
  /** In an account with free own devices: shared devices may carry it too, and then the balance pays. */
  fallback: Fallback | null
  device_id: string | null
  receipt_expected: Flag | null
  error_code: string | null
  network_code: string | null
  attempts: number
  /** Also set when `resend_once` was used: the message may arrive twice. */
  possible_duplicate: Flag
  corrected: Generated<Flag>
  sequence: Generated<number>
  client_reference: string | null
  metadata: string
  created_at: number
  send_at: number | null
  expires_at: number | null
  sent_at: number | null
  delivered_at: number | null
  finalized_at: number | null
  /** When its final status was last set: `finalized_at`, or the time of the latest correction. */
  settled_at: number | null
  updated_at: number
  encoding_forced: Generated<Flag>
  /**
   * When the network got a received message, by its own report, while `created_at` is our time; null if the
   * device did not report it, and for sent messages.
   */
  received_at: number | null
  /**
   * Times by the report of the device, never before the submission nor after the report arrived; null if only
   * the arrival of the report is known.
   */
  reported_sent_at: number | null
  reported_delivered_at: number | null
  /** ID of its way, or the device that its sender chose; null: the usual way. Part of its route. */
  way: string | null
}

/** What one unit changed: up to a hundred messages of an account and mode (message-changes.ts). */
export interface MessageChangeTable {
  account_id: string
  mode: Mode
  number: number
  part: number
  messages: string
}

export interface AttemptTable {
  account_id: string
  mode: Mode
  message_id: string
  number: number
  id: string
  device_id: string
  fence: number
  /**
   * Fencing token of the lease under which a link got the message; null if every node can serve the device.
   */
  lease_token: number | null
  is_logged: Generated<Flag>
  /** Its device belonged to the account and sent for real: it pays for a message with a fallback. */
  is_own: Generated<Flag>
  /** `handing_over` is an open attempt: claimed, and without an outcome that is stored. */
  state: AttemptState
  parts_sent: Generated<number>
  network_ids: string | null
  /** Null while it is open, and if it finished before this was stored. */
  receipt_expected: Flag | null
  /** What receipts told of its parts, where later reports may need it (evidence-store.ts). */
  part_reports: JsonText<readonly PartReport[]> | null
  outcome: string | null
  network_code: string | null
  started_at: number
  ended_at: number | null
  /** Its place in the queue, to which its message may go back; null once it has ended. */
  route_key: string | null
  due_at: number | null
  refusals: number | null
  restore_hold: Generated<Flag>
  /** Why its device got the message; null: as one of the first stage, and in rows of an earlier version. */
  why: string | null
  /** Where it was counted; null if its device had no SIM plan. */
  plan_counts: JsonText<PlanCounts> | null
}

/** A message that another one follows once it was certainly not delivered (followers.ts). */
export interface FollowerTable {
  account_id: string
  mode: Mode
  message_id: string
  state: 'armed' | 'due' | 'followed' | 'none'
  follower_id: string | null
  excludes: string | null
  reason: string | null
  created_at: number
}

export interface QueueTable {
  route_key: string
  account_id: string
  priority: number
  due_at: number
  message_id: string
  mode: Mode
  parts: number
  expires_at: number
  refusals: Generated<number>
  restore_hold: Generated<Flag>
}

export interface QueueTotalTable {
  account_id: string
  mode: Mode
  route_key: string
  messages: number
  parts: number
  next_expiry_at: number
}

export interface DeferredTable {
  account_id: string
  mode: Mode
  message_id: string
  reason: DeferReason
  wake_at: number
  route_key: string
  priority: number
  parts: number
  expires_at: number
  refusals: Generated<number>
  restore_hold: Generated<Flag>
}

export interface DeferredTotalTable {
  account_id: string
  mode: Mode
  reason: DeferReason
  messages: number
  parts: number
}

export interface ReceiptExpectedTable {
  network_id: string
  device_id: string
  account_id: string
  mode: Mode
  message_id: string
  attempt_number: number
  /**
   * Number of its parts on the network, each with its own receipt; 0 if receipts for all of them do not prove
   * delivery.
   */
  wire_parts: number
  sent_at: number
  closed_at: number | null
}

/** `parked_receipts`: receipts whose ID matches no attempt yet, once per reading of the ID. */
export interface UnmatchedReceiptTable {
  network_id: string
  device_id: string
  reading: number
  body: string
  received_at: number
}

export interface InboundSeenTable {
  device_id: string
  fingerprint: string
  /** When it was stored here. */
  received_at: number
}

export interface InboundFragmentTable {
  device_id: string
  sender: string
  /** Empty if the device does not report it. */
  recipient: string
  reference: number
  total: number
  part: number
  body: string
  account_id: string | null
  mode: Mode
  country: string | null
  in_reply_to: string | null
  fingerprint: string
  received_at: number
  joined: Flag
}

export interface OptOutTable {
  account_id: string
  mode: Mode
  recipient: string
  created_at: number
  /** When it ceases to be in force, or did; null for one without an end. Purged after its retention. */
  forget_at: number | null
  origin: Generated<OptOutOrigin>
  device_id: string | null
  /** The message that confirms it to the number. */
  confirmation_id: string | null
  confirmed_at: number | null
}

/** An attempt that was offered to a phone. */
export interface PhoneOfferTable {
  attempt_id: string
  device_id: string
  phone_id: string
  account_id: string
  mode: Mode
  message_id: string
  attempt_number: number
  sim: number | null
  parts: number | null
  offered_at: number
  last_offered_at: number
  state: PhoneWord | null
  reported_at: number | null
  recall: 'cancel' | 'move' | null
  recalled_at: number | null
  closed_at: number | null
}
