import type { Generated } from 'kysely'

/** The tables as the code sees them. The `.sql` of migrations/ decides; `test/storage/schema.test.ts` compares the two. */

export type Mode = 'live' | 'test'
export type Direction = 'outbound' | 'inbound'
export type Category = 'transactional' | 'authentication' | 'marketing'
export type Encoding = 'gsm7' | 'ucs2'
export type OnUnknown = 'stop' | 'resend_once'
export type CostState = 'held' | 'charged' | 'partial' | 'released' | 'none'
export type MessageStatus =
  | 'scheduled'
  | 'queued'
  | 'sending'
  | 'sent'
  | 'delivered'
  | 'undelivered'
  | 'failed'
  | 'expired'
  | 'canceled'
  | 'unconfirmed'
  | 'received'
export type AttemptState = 'handing_over' | 'accepted' | 'refused' | 'unknown'
export type AccountState = 'active' | 'suspended' | 'closed'
export type DeviceState = 'pending' | 'enabled' | 'disabled' | 'retired'
export type DeviceStatus = 'pending' | 'online' | 'degraded' | 'offline'
export type LedgerKind = 'grant' | 'top_up' | 'correction' | 'refill'
/** A truth value in both databases. */
export type Flag = 0 | 1

export interface InstanceTable {
  id: number
  epoch: number
  directory_version: number
  created_at: number
}

export interface AccountTable {
  id: string
  name: string
  state: AccountState
  send_per_minute: number | null
  read_per_minute: number | null
  queue_limit: number | null
  created_at: number
  updated_at: number
}

export interface UserTable {
  id: string
  email: string
  name: string
  is_operator: Flag
  created_at: number
}

export interface AccountUserTable {
  account_id: string
  user_id: string
  role: 'owner' | 'member'
}

export interface ApiKeyTable {
  id: string
  account_id: string
  mode: Mode
  hash: string
  last_four: string
  name: string
  scopes: string
  addresses: string | null
  daily_cap: number | null
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
}

export interface ApiKeyUsageTable {
  key_id: string
  day: number
  parts: number
}

export interface WalletTable {
  account_id: string
  mode: Mode
  granted: number
  reserved: number
  used: number
  used_archived: Generated<number>
  low_threshold: number
  refilled_day: number | null
}

export interface UsageDayTable {
  account_id: string
  mode: Mode
  day: number
  parts: number
}

export interface LedgerEntryTable {
  account_id: string
  mode: Mode
  id: string
  kind: LedgerKind
  sms: number
  note: string
  actor: string
  created_at: number
}

export interface DeviceTable {
  id: string
  account_id: string | null
  mode: Mode
  kind: string
  name: string
  state: DeviceState
  senders: string
  settings: string
  secrets: string | null
  parts_per_window: number | null
  window_seconds: number | null
  lease_owner: string | null
  lease_token: Generated<number>
  lease_until: number | null
  created_at: number
  updated_at: number
}

export interface DeviceReportTable {
  device_id: string
  status: DeviceStatus
  reasons: string
  body: string
  reported_at: number
}

export interface SendTable {
  account_id: string
  id: string
  mode: Mode
  key_id: string
  first_message_id: string
  last_message_id: string
  smart_encoding_applied: Flag
  created_at: number
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
  held: number
  charged: number
  cost_state: CostState
  on_unknown: OnUnknown
  device_id: string | null
  receipt_expected: Flag | null
  error_code: string | null
  network_code: string | null
  attempts: number
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
  settled_at: number | null
  updated_at: number
}

export interface AttemptTable {
  account_id: string
  mode: Mode
  message_id: string
  number: number
  id: string
  device_id: string
  fence: number
  state: AttemptState
  parts_sent: Generated<number>
  network_ids: string | null
  outcome: string | null
  network_code: string | null
  started_at: number
  ended_at: number | null
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
  claimed_by: string | null
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

export interface ReceiptExpectedTable {
  network_id: string
  device_id: string
  account_id: string
  mode: Mode
  message_id: string
  attempt_number: number
  wire_parts: number
  sent_at: number
  closed_at: number | null
}

export interface ParkedReceiptTable {
  network_id: string
  device_id: string
  body: string
  received_at: number
}

export interface InboundSeenTable {
  device_id: string
  fingerprint: string
  received_at: number
}

export interface OptOutTable {
  account_id: string
  mode: Mode
  recipient: string
  created_at: number
  forget_at: number | null
}

export interface AuditLogTable {
  id: string
  account_id: string | null
  actor: string
  action: string
  detail: string
  created_at: number
}

export interface Database {
  instance: InstanceTable
  accounts: AccountTable
  users: UserTable
  account_users: AccountUserTable
  api_keys: ApiKeyTable
  api_key_usage: ApiKeyUsageTable
  wallets: WalletTable
  usage_days: UsageDayTable
  ledger_entries: LedgerEntryTable
  devices: DeviceTable
  device_reports: DeviceReportTable
  sends: SendTable
  idempotency_keys: IdempotencyKeyTable
  messages: MessageTable
  attempts: AttemptTable
  queue: QueueTable
  queue_totals: QueueTotalTable
  receipts_expected: ReceiptExpectedTable
  parked_receipts: ParkedReceiptTable
  inbound_seen: InboundSeenTable
  opt_outs: OptOutTable
  audit_log: AuditLogTable
}
