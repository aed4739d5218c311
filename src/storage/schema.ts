import type { Generated } from 'kysely'
import type { Mode, AccountState, DeviceState, DeviceStatus, LedgerKind, Flag } from './column-values.ts'
import type { DeviceSampleTable, DeviceStateTable, ServerRunTable } from './device-tables.ts'
import type { TrafficTable, TrafficTimeTable } from './traffic-tables.ts'
import type {
  SendTable,
  IdempotencyKeyTable,
  MessageTable,
  AttemptTable,
  QueueTable,
  QueueTotalTable,
  ReceiptExpectedTable,
  ParkedReceiptTable,
  InboundFragmentTable,
  InboundSeenTable,
  OptOutTable,
  PhoneOfferTable,
} from './message-tables.ts'

export type {
  Mode,
  Direction,
  Category,
  Encoding,
  OnUnknown,
  CostState,
  MessageStatus,
  AttemptState,
  AccountState,
  DeviceState,
  DeviceStatus,
  LedgerKind,
  Flag,
  PhoneWord,
} from './column-values.ts'
export type {
  SendTable,
  IdempotencyKeyTable,
  MessageTable,
  AttemptTable,
  QueueTable,
} from './message-tables.ts'

/** The tables as the code sees them. The `.sql` of migrations/ decides; `test/storage/schema.test.ts` compares the two databases. */

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
  request_key: string | null
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
  draining: Generated<Flag>
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

export interface PhoneTokenTable {
  id: string
  account_id: string | null
  mode: Mode
  hash: string
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
}

export interface PhoneTable {
  id: string
  device_id: string
  token_id: string
  token_hash: string
  hook_hash: string
  signing_key: string
  name: string
  sims: string
  app_version: string | null
  uses_push: Flag
  created_at: number
  updated_at: number
  heard_at: number | null
  superseded_at: number | null
}

export interface AuditLogTable {
  id: string
  account_id: string | null
  actor: string
  action: string
  detail: string
  created_at: number
}

export interface OneTimeLinkTable {
  id: string
  hash: string
  purpose: 'set-up' | 'reset' | 'invitation'
  email: string
  user_id: string | null
  account_id: string | null
  role: 'owner' | 'member' | null
  actor: string
  created_at: number
  expires_at: number
  used_at: number | null
  revoked_at: number | null
}

/** Better Auth's own tables, in its spelling; dates are ISO 8601 text. */
export interface AuthUserTable {
  id: string
  name: string
  email: string
  emailVerified: Flag
  image: string | null
  createdAt: string
  updatedAt: string
  twoFactorEnabled: Flag | null
}

export interface AuthSessionTable {
  id: string
  expiresAt: string
  token: string
  createdAt: string
  updatedAt: string
  ipAddress: string | null
  userAgent: string | null
  userId: string
}

export interface AuthCredentialTable {
  id: string
  accountId: string
  providerId: string
  userId: string
  password: string | null
  createdAt: string
  updatedAt: string
}

export interface AuthVerificationTable {
  id: string
  identifier: string
  value: string
  expiresAt: string
  createdAt: string
  updatedAt: string
}

export interface AuthTwoFactorTable {
  id: string
  secret: string
  backupCodes: string
  userId: string
  verified: Flag | null
  failedVerificationCount: number | null
  lockedUntil: string | null
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
  device_states: DeviceStateTable
  device_samples: DeviceSampleTable
  server_runs: ServerRunTable
  traffic: TrafficTable
  traffic_times: TrafficTimeTable
  phone_tokens: PhoneTokenTable
  phones: PhoneTable
  phone_offers: PhoneOfferTable
  sends: SendTable
  idempotency_keys: IdempotencyKeyTable
  messages: MessageTable
  attempts: AttemptTable
  queue: QueueTable
  queue_totals: QueueTotalTable
  receipts_expected: ReceiptExpectedTable
  parked_receipts: ParkedReceiptTable
  inbound_seen: InboundSeenTable
  inbound_fragments: InboundFragmentTable
  opt_outs: OptOutTable
  audit_log: AuditLogTable
  one_time_links: OneTimeLinkTable
  auth_users: AuthUserTable
  auth_sessions: AuthSessionTable
  auth_credentials: AuthCredentialTable
  auth_two_factors: AuthTwoFactorTable
  auth_verifications: AuthVerificationTable
}
