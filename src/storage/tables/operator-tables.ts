import type { Generated } from 'kysely'
import type { Flag, Mode } from './column-values.ts'

/** The operator's interface for programs, and alerts for people. */

export interface OperatorTokenTable {
  id: string
  hash: string
  last_four: string
  name: string
  scope: 'read' | 'write'
  actor: string
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
}

export interface OperatorRequestTable {
  request_key: string
  fingerprint: string
  account_id: string
  /** Unknown of requests from before the columns were, both. */
  user_id: string | null
  is_new_user: Flag | null
  created_at: number
}

export type AlertKind =
  | 'device_offline'
  | 'balance_low'
  | 'balance_exhausted'
  | 'webhook_disabled'
  | 'unusual_failures'
  | 'pumping_paused'
  | 'key_expiring'

export interface AlertTable {
  id: string
  kind: AlertKind
  subject: string
  account_id: string | null
  mode: Mode | null
  name: string
  said: string
  began_at: number
  ended_at: number | null
}

export interface AlertMailTable {
  alert_id: string
  phase: 'began' | 'ended'
  user_id: string
  due_at: number
  /** Of one that is done: 0 where no mail server took it. */
  tries: Generated<number>
  done_at: number | null
  /** 1 while one is on its way, and for good where what became of it was never written down: the mail server may have taken it. */
  may_be_told: Generated<Flag>
}

export interface AlertMuteTable {
  user_id: string
  kind: AlertKind
}
