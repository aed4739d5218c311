/**
 * Event types that an endpoint can receive. Clients must expect new ones; subscriptions accept only these.
 */
export const eventTypes = [
  'message.scheduled', 'message.queued', 'message.sent', 'message.delivered', 'message.undelivered', 'message.failed',
  'message.expired', 'message.canceled', 'message.unconfirmed', 'message.received', 'device.online', 'device.degraded',
  'device.offline', 'balance.low', 'balance.exhausted', 'account.suspended', 'account.reactivated', 'recipient.opted_out',
  'recipient.opted_in', 'failures.unusual', 'api_key.expiring', 'webhook.disabled', 'webhook.test',
] as const // prettier-ignore
export type EventType = (typeof eventTypes)[number]

/** Events about the status of a message. There is none for `sending`, which proves nothing. */
export type MessageEventType = Extract<EventType, `message.${string}`>
