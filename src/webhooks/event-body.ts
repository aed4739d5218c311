import { rfc3339 } from '../runtime/clock.ts'
import { routePayerOf } from '../messages/core/route-key.ts'
import type { MessageRow } from '../messages/core/message-store.ts'
import type { WebhookEventTable } from '../storage/tables/webhook-tables.ts'

/** Renders a message as the API does. Passed in by the API, which this folder does not import. */
export type RenderMessage = (row: MessageRow) => object

/**
 * Returns the body of an event, identical on each attempt. The status of a message is the one at the time of
 * the event. Members that never change are read now, so that erased data is not sent. Null when the message
 * was purged: there is nothing to send.
 */
export function eventBody(
  renderMessage: RenderMessage,
  event: WebhookEventTable,
  message: MessageRow | null,
): string | null {
  if (event.message_id !== null && message === null) return null
  const about =
    message === null
      ? { ...(JSON.parse(event.facts ?? '{}') as object), ...recipientOf(event) }
      : { message: renderMessage(messageAtEvent(message, event)) }
  return JSON.stringify({
    id: event.id,
    type: event.type,
    timestamp: rfc3339(event.at),
    api_version: 'v1',
    mode: event.mode,
    account_id: event.account_id,
    data: {
      sequence: event.sequence,
      previous_status: event.previous_status,
      correction: event.correction === 1,
      ...about,
    },
  })
}

/** Only `recipient.…` events have a number; null once it was erased. */
const recipientOf = ({ type, recipient }: WebhookEventTable): object =>
  type.startsWith('recipient.') ? { recipient } : {}

function messageAtEvent(message: MessageRow, event: WebhookEventTable): MessageRow {
  const { status, parts_sent, charged, cost_state, attempts, possible_duplicate } = event
  if (status === null || cost_state === null || possible_duplicate === null)
    throw new Error(`the event ${event.id} has no status of its message`)
  // Every outbound message expires. An event without `expires_at` is older than the two columns, or is about
  // a received message, which has none.
  const hasTimes = event.expires_at !== null
  return {
    ...message,
    status,
    cost_state,
    // An own device pays for a message with a fallback when it is charged, not before.
    paid_by: (charged ?? 0) > 0 ? message.paid_by : routePayerOf(message),
    possible_duplicate,
    parts_sent: parts_sent ?? 0,
    charged: charged ?? 0,
    attempts: attempts ?? 0,
    sequence: event.sequence,
    device_id: event.device_id,
    receipt_expected: event.receipt_expected,
    error_code: event.error_code,
    network_code: event.network_code,
    send_at: hasTimes ? event.send_at : message.send_at,
    expires_at: event.expires_at ?? message.expires_at,
    sent_at: event.sent_at,
    delivered_at: event.delivered_at,
    // Events store the times as shown.
    reported_sent_at: null,
    reported_delivered_at: null,
    finalized_at: event.finalized_at,
    updated_at: event.at,
  }
}
