import type { Generated } from 'kysely'
import type { AccountState, Flag, KeywordMeaning, LedgerKind, Mode, OwnDevicePrice } from './column-values.ts'
import type { JsonText } from './json-columns.ts'

/** Tables of accounts, their users and their balances. */

export interface AccountTable {
  id: string
  name: string
  state: AccountState
  send_per_minute: number | null
  read_per_minute: number | null
  queue_limit: number | null
  quiet_from: number | null
  quiet_until: number | null
  countries: string | null
  number_per_hour: number | null
  prefix_per_hour: number | null
  pumping_numbers: number | null
  own_devices: Generated<OwnDevicePrice>
  /** A word by which rules of routes match; null: none. */
  plan: string | null
  created_at: number
  updated_at: number
}

export interface UserTable {
  id: string
  email: string
  name: string
  is_operator: Flag
  created_at: number
  email_proven_at: number | null
  browser_epoch: Generated<number>
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
  scopes: JsonText<readonly string[]>
  addresses: JsonText<readonly string[]> | null
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
  /** The same of messages that own devices carry for nothing: without a bound, and not in the balance. */
  own_reserved: Generated<number>
  own_used: Generated<number>
  own_used_archived: Generated<number>
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

export interface AuditLogTable {
  id: string
  account_id: string | null
  actor: string
  action: string
  detail: string
  created_at: number
}

export interface AccountKeywordSetTable {
  account_id: string
  language: string
  stop_answer: string | null
  help_answer: string | null
  updated_at: number
}

export interface AccountKeywordTable {
  account_id: string
  word: string
  keyword: KeywordMeaning
  language: string
  written: string
}
