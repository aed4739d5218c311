import type { Generated } from 'kysely'
import type { Flag, Mode } from './column-values.ts'

/** Tables of the operator API, and of alerts. */

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
  /** Both null for requests from before the columns existed. */
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
  | 'certificate_ending'
  | 'messages_stranded'
  | 'plan_limit'
  | 'canary_lost'

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
  /** Number of attempts; of a finished mail 0 if no mail server accepted it. */
  tries: Generated<number>
  done_at: number | null
  /**
   * 1 while a mail is being sent, and permanently if its result was never stored: the mail server may have
   * accepted it.
   */
  may_be_told: Generated<Flag>
}

export interface AlertMuteTable {
  user_id: string
  kind: AlertKind
}
