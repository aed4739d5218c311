import type { Generated } from 'kysely'
import type { CostState, Flag, MessageStatus, Mode } from './column-values.ts'
import type { FormerSecret, JsonText } from './json-columns.ts'

/** Tables of webhook endpoints, events and deliveries. */

export interface WebhookEndpointTable {
  account_id: string
  id: string
  url: string
  mode: Mode | null
  state: 'enabled' | 'disabled' | 'removed'
  disabled_because: 'person' | 'gone' | 'failing' | null
  secret: string
  previous_secret: string | null
  previous_until: number | null
  older_secrets: JsonText<readonly FormerSecret[]> | null
  failing_since: number | null
  /** Reason of the last failure, while it fails. */
  failing_because: string | null
  /** No delivery is attempted before this time; null if one can be. */
  resumes_at: number | null
  created_at: number
  updated_at: number
}

export interface WebhookEndpointTypeTable {
  account_id: string
  endpoint_id: string
  type: string
}

/** An event, with the values of its message at that time: null for events about something else. */
export interface WebhookEventTable {
  account_id: string
  id: string
  type: string
  mode: Mode
  at: number
  sequence: number
  previous_status: MessageStatus | null
  correction: Flag
  message_id: string | null
  status: MessageStatus | null
  parts_sent: number | null
  charged: number | null
  cost_state: CostState | null
  device_id: string | null
  receipt_expected: Flag | null
  error_code: string | null
  network_code: string | null
  attempts: number | null
  possible_duplicate: Flag | null
  send_at: number | null
  expires_at: number | null
  sent_at: number | null
  delivered_at: number | null
  finalized_at: number | null
  facts: string | null
  recipient: string | null
}

export interface WebhookDeliveryTable {
  account_id: string
  endpoint_id: string
  event_id: string
  due_at: number
  token: Generated<number>
  failures: Generated<number>
  outcome: 'delivered' | 'given_up' | 'dropped' | null
  closed_at: number | null
}

export interface WebhookAttemptTable {
  account_id: string
  endpoint_id: string
  event_id: string
  token: number
  at: number
  duration_ms: number
  status: number | null
  failure: string | null
  answer: string | null
}
