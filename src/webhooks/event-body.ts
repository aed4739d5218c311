import { rfc3339 } from '../runtime/clock.ts'
import type { MessageRow } from '../messages/core/message-store.ts'
import type { WebhookEventTable } from '../storage/tables/webhook-tables.ts'

/** Shows a message as the interface does; given by the one who knows the interface. */
export type RenderMessage = (row: MessageRow) => object

/**
 * The body of an event, the same at each try: of a message its state is that of then, what never moves is read now, so that what was erased since is
 * not told. Null when the message is gone: there is nothing left to tell.
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
      : { message: renderMessage(asItStood(message, event)) }
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

/** Only an event about a person has a number, and null once that was erased. */
const recipientOf = ({ type, recipient }: WebhookEventTable): object =>
  type.startsWith('recipient.') ? { recipient } : {}

function asItStood(message: MessageRow, event: WebhookEventTable): MessageRow {
  const { status, parts_sent, charged, cost_state, attempts, possible_duplicate } = event
  if (status === null || cost_state === null || possible_duplicate === null)
    throw new Error(`the event ${event.id} tells no state of its message`)
  // Whatever is sent expires: an event without that was written before events kept the two times, or is of a received message, which has none.
  const knowsPlan = event.expires_at !== null
  return {
    ...message,
    status,
    cost_state,
    possible_duplicate,
    parts_sent: parts_sent ?? 0,
    charged: charged ?? 0,
    attempts: attempts ?? 0,
    sequence: event.sequence,
    device_id: event.device_id,
    receipt_expected: event.receipt_expected,
    error_code: event.error_code,
    network_code: event.network_code,
    send_at: knowsPlan ? event.send_at : message.send_at,
    expires_at: event.expires_at ?? message.expires_at,
    sent_at: event.sent_at,
    delivered_at: event.delivered_at,
    // An event keeps the times that are shown.
    reported_sent_at: null,
    reported_delivered_at: null,
    finalized_at: event.finalized_at,
    updated_at: event.at,
  }
}
