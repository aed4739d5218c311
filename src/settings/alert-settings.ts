import { setting } from './setting.ts'
import { wholeNumber } from './setting-readers.ts'

/** Settings about what people are told of by mail. */
export const alertSettings = {
  alertOfflineMinutes: setting({
    env: 'ONESIXTY_ALERT_OFFLINE_MINUTES',
    read: wholeNumber(0, 10_080),
    default: 10,
    says: 'How long a device is offline before people are told; a phone that restarts and a link that reconnects are back sooner.',
  }),
  alertCoolDownMinutes: setting({
    env: 'ONESIXTY_ALERT_COOL_DOWN_MINUTES',
    read: wholeNumber(0, 10_080),
    default: 60,
    says: 'How long after the end of an alert the same one does not begin again: what comes and goes is told once an hour.',
  }),
  alertFailures: setting({
    env: 'ONESIXTY_ALERT_FAILURES',
    read: wholeNumber(0),
    default: 20,
    says: 'How many messages of an account must fail within an hour before their share counts as unusual; 0 switches the alert off. A few wrong numbers are no news.',
  }),
  alertKeyDays: setting({
    env: 'ONESIXTY_ALERT_KEY_DAYS',
    read: wholeNumber(0, 365),
    default: 7,
    says: 'How many days before the end of an API key its owners are told; 0 switches the alert off. A week to roll out another.',
  }),
  alertDays: setting({
    env: 'ONESIXTY_ALERT_DAYS',
    read: wholeNumber(1),
    default: 90,
    says: 'How long alerts are kept after their end: as long as the messages that they are about.',
  }),
} as const
