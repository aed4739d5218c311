import type { Generated } from 'kysely'
import type { Flag } from './column-values.ts'
import type {
  AccountKeywordSetTable,
  AccountKeywordTable,
  AccountTable,
  UserTable,
  AccountUserTable,
  ApiKeyTable,
  ApiKeyUsageTable,
  WalletTable,
  UsageDayTable,
  LedgerEntryTable,
  AuditLogTable,
} from './account-tables.ts'
import type {
  DeviceTable,
  DeviceGroupTable,
  DeviceReportTable,
  SimPlanTable,
  CanaryTable,
  CanaryRunTable,
  SimUsageTable,
  SimNumberTable,
  PhoneTokenTable,
  ReachCheckTable,
  PhoneTable,
  DeviceStateTable,
  DeviceSampleTable,
  DeviceMarkTable,
  UnreadFormTable,
  ServerRunTable,
} from './device-tables.ts'
import type {
  SendTable,
  IdempotencyKeyTable,
  MessageTable,
  MessageChangeTable,
  AttemptTable,
  QueueTable,
  QueueTotalTable,
  DeferredTable,
  DeferredTotalTable,
  ReceiptExpectedTable,
  UnmatchedReceiptTable,
  InboundFragmentTable,
  InboundSeenTable,
  OptOutTable,
  PhoneOfferTable,
  FollowerTable,
} from './message-tables.ts'
import type { JsonText, NodeCertificate } from './json-columns.ts'
import type { RouteRuleTable, WayTable } from './route-tables.ts'
import type { MoveProgressTable, MoveTable } from './move-tables.ts'
import type {
  AlertMailTable,
  AlertMuteTable,
  AlertTable,
  OperatorRequestTable,
  OperatorTokenTable,
} from './operator-tables.ts'
import type {
  EmailLinkTable,
  OneTimeLinkTable,
  AuthUserTable,
  AuthSessionTable,
  AuthCredentialTable,
  AuthVerificationTable,
  AuthTwoFactorTable,
  PasskeyChallengeTable,
  PasskeyTable,
} from './sign-in-tables.ts'
import type { TrafficTable, TrafficTimeTable } from './traffic-tables.ts'
import type {
  WebhookAttemptTable,
  WebhookDeliveryTable,
  WebhookEndpointTable,
  WebhookEndpointTypeTable,
  WebhookEventTable,
} from './webhook-tables.ts'

export type {
  AccountState,
  AttemptState,
  Category,
  CostState,
  DeferReason,
  DeviceState,
  DeviceStatus,
  Direction,
  Encoding,
  Flag,
  LedgerKind,
  MessageStatus,
  Mode,
  OnUnknown,
  OwnDevicePrice,
  Fallback,
  Payer,
  PhoneWord,
} from './column-values.ts'
export type {
  SendTable,
  IdempotencyKeyTable,
  MessageTable,
  AttemptTable,
  QueueTable,
} from './message-tables.ts'

export interface InstanceTable {
  id: number
  epoch: number
  directory_version: number
  created_at: number
  cluster: string | null
  /**
   * With that of each node in `node_progress`, grows with the work of the servers: a database that is behind the file next to
   * it was restored (epoch.ts).
   */
  progress: Generated<number>
  /** How far clocks were behind the numbers of changes at most, beyond what is usual (change-number.ts). */
  clock_lag_ms: Generated<number>
  /** Unused: replaced by `secret_marks`. */
  secret_mark: Generated<string | null>
}

export interface ChangeLaneTable {
  lane: number
  /** The number of the last unit that changed messages of its accounts (change-number.ts). */
  last_change: number
}

export interface NodeProgressTable {
  epoch: number
  progress: number
}

export interface SecretMarkTable {
  mark: string
  first_seen_at: number
}

export interface NodeTable {
  epoch: number
  name: string
  started_at: number
  beat_at: number
  left_at: number | null
  tidies: Flag
  certificate: JsonText<NodeCertificate> | null
}

/**
 * The tables as the code sees them. The `.sql` files in migrations/ are authoritative;
 * `test/storage/schema.test.ts` compares the two databases.
 */
export interface Database {
  instance: InstanceTable
  change_lanes: ChangeLaneTable
  node_progress: NodeProgressTable
  secret_marks: SecretMarkTable
  nodes: NodeTable
  accounts: AccountTable
  users: UserTable
  account_users: AccountUserTable
  api_keys: ApiKeyTable
  api_key_usage: ApiKeyUsageTable
  wallets: WalletTable
  usage_days: UsageDayTable
  ledger_entries: LedgerEntryTable
  devices: DeviceTable
  device_groups: DeviceGroupTable
  route_rules: RouteRuleTable
  ways: WayTable
  device_reports: DeviceReportTable
  canaries: CanaryTable
  canary_runs: CanaryRunTable
  sim_plans: SimPlanTable
  sim_usage: SimUsageTable
  sim_numbers: SimNumberTable
  device_states: DeviceStateTable
  device_samples: DeviceSampleTable
  device_marks: DeviceMarkTable
  unread_forms: UnreadFormTable
  server_runs: ServerRunTable
  traffic: TrafficTable
  traffic_times: TrafficTimeTable
  phone_tokens: PhoneTokenTable
  phones: PhoneTable
  phone_offers: PhoneOfferTable
  reach_checks: ReachCheckTable
  sends: SendTable
  idempotency_keys: IdempotencyKeyTable
  messages: MessageTable
  message_changes: MessageChangeTable
  attempts: AttemptTable
  followers: FollowerTable
  queue: QueueTable
  queue_totals: QueueTotalTable
  deferred: DeferredTable
  deferred_totals: DeferredTotalTable
  receipts_expected: ReceiptExpectedTable
  parked_receipts: UnmatchedReceiptTable
  inbound_seen: InboundSeenTable
  inbound_fragments: InboundFragmentTable
  opt_outs: OptOutTable
  account_keyword_sets: AccountKeywordSetTable
  account_keywords: AccountKeywordTable
  webhook_endpoints: WebhookEndpointTable
  webhook_endpoint_types: WebhookEndpointTypeTable
  webhook_events: WebhookEventTable
  webhook_deliveries: WebhookDeliveryTable
  webhook_attempts: WebhookAttemptTable
  audit_log: AuditLogTable
  one_time_links: OneTimeLinkTable
  email_links: EmailLinkTable
  auth_users: AuthUserTable
  auth_sessions: AuthSessionTable
  auth_credentials: AuthCredentialTable
  auth_two_factors: AuthTwoFactorTable
  auth_verifications: AuthVerificationTable
  passkeys: PasskeyTable
  passkey_challenges: PasskeyChallengeTable
  operator_tokens: OperatorTokenTable
  operator_requests: OperatorRequestTable
  alerts: AlertTable
  alert_mails: AlertMailTable
  alert_mutes: AlertMuteTable
  moves: MoveTable
  move_progress: MoveProgressTable
}
