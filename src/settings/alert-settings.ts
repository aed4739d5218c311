import { setting } from './setting.ts'
import { wholeNumber } from './setting-readers.ts'

/** Settings of the alerts that are sent by mail. */
export const alertSettings = {
  alertOfflineMinutes: setting({
    env: 'ONESIXTY_ALERT_OFFLINE_MINUTES',
    read: wholeNumber(0, 10_080),
    default: 10,
    summary:
      'Minutes that a device is offline before an alert is sent. Phones that restart and connections that reconnect are back sooner.',
  }),
  alertCoolDownMinutes: setting({
    env: 'ONESIXTY_ALERT_COOL_DOWN_MINUTES',
    read: wholeNumber(0, 10_080),
    default: 60,
    summary:
      'Minutes after the end of an alert in which the same alert is not raised again. A condition that comes and goes is reported once an hour.',
  }),
  alertFailures: setting({
    env: 'ONESIXTY_ALERT_FAILURES',
    read: wholeNumber(0),
    default: 20,
    summary:
      'Messages of an account that must fail within an hour before the failure rate counts as unusual; 0 switches the alert off. A few wrong numbers are normal.',
  }),
  alertKeyDays: setting({
    env: 'ONESIXTY_ALERT_KEY_DAYS',
    read: wholeNumber(0, 365),
    default: 7,
    summary:
      'Days before an API key expires on which its owners are notified; 0 switches the alert off. A week is enough to roll out a new key.',
  }),
  alertDays: setting({
    env: 'ONESIXTY_ALERT_DAYS',
    read: wholeNumber(1),
    default: 90,
    summary: 'Days to keep alerts after their end. As long as the messages that they are about.',
  }),
} as const
