import { setting } from './setting.ts'
import { list, wholeNumber } from './setting-readers.ts'

/** Settings about whom the service tells what happened. */
export const webhookSettings = {
  webhookAllow: setting<readonly string[]>({
    env: 'ONESIXTY_WEBHOOK_ALLOW',
    read: list,
    default: [],
    says: 'Private targets that webhooks may go to: addresses, CIDRs and host names, separated by commas. Without it only public addresses are connected to, so that nobody reaches the inside of a network through this server.',
  }),
  webhookEndpoints: setting({
    env: 'ONESIXTY_WEBHOOK_ENDPOINTS',
    read: wholeNumber(0),
    default: 20,
    says: 'Webhook endpoints of one account; 0 switches the limit off. Each is told every event by itself, and stored beside it.',
  }),
  webhookTimeoutMs: setting({
    env: 'ONESIXTY_WEBHOOK_TIMEOUT_MS',
    read: wholeNumber(100, 30_000),
    default: 15_000,
    says: 'Time for one delivery, from the look-up of its name to the status of the answer. Receivers take what they are told and work on it afterwards.',
  }),
  webhookParallel: setting({
    env: 'ONESIXTY_WEBHOOK_PARALLEL',
    read: wholeNumber(1, 100),
    default: 16,
    says: 'Deliveries to one endpoint at the same time; one that does not answer is given one at a time. With answers in 100 ms that is 160 a second, and few endpoints bear more.',
  }),
  webhookConnections: setting({
    env: 'ONESIXTY_WEBHOOK_CONNECTIONS',
    read: wholeNumber(2, 10_000),
    default: 1_000,
    says: 'Deliveries at the same time, of all endpoints of one server. Endpoints that did not answer last get at most half of them. Enough for 60 endpoints that are told all they take at once; each is an open socket.',
  }),
  webhookRotationHours: setting({
    env: 'ONESIXTY_WEBHOOK_ROTATION_HOURS',
    read: wholeNumber(0, 720),
    default: 24,
    says: 'How long the former secret of an endpoint signs beside the new one: time to put the new one in place everywhere.',
  }),
  webhookDisableDays: setting({
    env: 'ONESIXTY_WEBHOOK_DISABLE_DAYS',
    read: wholeNumber(1, 365),
    default: 5,
    says: 'After so many days of failures without one success an endpoint is disabled: longer than a weekend, and than the last retry of what failed first.',
  }),
  webhookLogDays: setting({
    env: 'ONESIXTY_WEBHOOK_LOG_DAYS',
    read: wholeNumber(5, 90),
    default: 30,
    says: 'How long events and the log of their deliveries are kept, and can be told again: as long as texts.',
  }),
} as const
