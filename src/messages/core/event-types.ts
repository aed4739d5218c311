/** What an endpoint of an account can be told of: an open list for those who receive, a closed one for those who choose from it. */
export const eventTypes = [
  'message.scheduled', 'message.queued', 'message.sent', 'message.delivered', 'message.undelivered', 'message.failed',
  'message.expired', 'message.canceled', 'message.unconfirmed', 'message.received', 'device.online', 'device.degraded',
  'device.offline', 'balance.low', 'balance.exhausted', 'account.suspended', 'account.reactivated', 'recipient.opted_out',
  'recipient.opted_in', 'failures.unusual', 'api_key.expiring', 'webhook.disabled', 'webhook.test',
] as const // prettier-ignore
export type EventType = (typeof eventTypes)[number]

/** Those that tell of a message's state; `sending` proves nothing and is told to nobody. */
export type MessageEventType = Extract<EventType, `message.${string}`>
