import { setting } from './setting.ts'
import { list, wholeNumber } from './setting-readers.ts'

/** Settings of webhooks. */
export const webhookSettings = {
  webhookAllow: setting<readonly string[]>({
    env: 'ONESIXTY_WEBHOOK_ALLOW',
    read: list,
    default: [],
    summary:
      'Private targets to which webhooks can connect: addresses, CIDRs and host names, separated by commas. Default: none, only public addresses, so that no account reaches the inside of a network through this server.',
  }),
  webhookEndpoints: setting({
    env: 'ONESIXTY_WEBHOOK_ENDPOINTS',
    read: wholeNumber(0),
    default: 20,
    summary:
      'Maximum webhook endpoints per account; 0 = no limit. Each event is stored and delivered once per endpoint.',
  }),
  webhookTimeoutMs: setting({
    env: 'ONESIXTY_WEBHOOK_TIMEOUT_MS',
    read: wholeNumber(100, 30_000),
    default: 15_000,
    summary:
      'Milliseconds for one delivery, from the DNS lookup to the status of the response. Receivers should accept an event first and process it afterwards.',
  }),
  webhookParallel: setting({
    env: 'ONESIXTY_WEBHOOK_PARALLEL',
    read: wholeNumber(1, 100),
    default: 16,
    summary:
      'Deliveries to one endpoint at the same time; an endpoint that does not respond gets one at a time. With responses in 100 ms that is 160 a second, more than most endpoints can handle.',
  }),
  webhookConnections: setting({
    env: 'ONESIXTY_WEBHOOK_CONNECTIONS',
    read: wholeNumber(2, 10_000),
    default: 1_000,
    summary:
      'Deliveries at the same time to all endpoints of one server. Endpoints whose last delivery got no response use at most half of them. Enough for 60 endpoints at full speed; each is an open socket.',
  }),
  webhookRotationHours: setting({
    env: 'ONESIXTY_WEBHOOK_ROTATION_HOURS',
    read: wholeNumber(0, 720),
    default: 24,
    summary:
      'Hours that the former secret of an endpoint still signs, next to the new one. Time to roll out the new one everywhere.',
  }),
  webhookDisableDays: setting({
    env: 'ONESIXTY_WEBHOOK_DISABLE_DAYS',
    read: wholeNumber(1, 365),
    default: 5,
    summary:
      'Days of failures without a success after which an endpoint is disabled. Longer than a weekend, and than the last retry of the first failed event.',
  }),
  webhookLogDays: setting({
    env: 'ONESIXTY_WEBHOOK_LOG_DAYS',
    read: wholeNumber(5, 90),
    default: 30,
    summary: 'Days to keep events and the log of their deliveries, for resends. As long as texts.',
  }),
} as const
