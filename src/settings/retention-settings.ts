import { setting } from './setting.ts'
import { wholeNumber } from './setting-readers.ts'

/** Settings of retention. */
export const retentionSettings = {
  textRetentionDays: setting({
    env: 'ONESIXTY_TEXT_RETENTION_DAYS',
    read: wholeNumber(0),
    default: 30,
    summary:
      'Days to keep texts; the text of a message that becomes final later is purged within an hour of that. A month, in which most questions about a text are asked; texts are the most private data that is stored.',
  }),
  recordRetentionDays: setting({
    env: 'ONESIXTY_RECORD_RETENTION_DAYS',
    read: wholeNumber(1),
    default: 90,
    summary:
      'Days to keep messages, counted from their acceptance; one that became final late is kept until no receipt can arrive any more. A quarter of a year, since bills and complaints come later than messages.',
  }),
  idempotencyDays: setting({
    env: 'ONESIXTY_IDEMPOTENCY_DAYS',
    read: wholeNumber(1),
    default: 7,
    summary:
      'Days to keep an Idempotency-Key, and at least until its messages are final. Clients stop retrying within a week.',
  }),
  auditDays: setting({
    env: 'ONESIXTY_AUDIT_DAYS',
    read: wholeNumber(0),
    default: 730,
    summary:
      'Days to keep the audit log; 0 keeps it indefinitely. Two years outlast most disputes about an account.',
  }),
  keyUsageDays: setting({
    env: 'ONESIXTY_KEY_USAGE_DAYS',
    read: wholeNumber(1),
    default: 90,
    summary:
      "Days to keep the daily counts of keys with a daily limit. Only today's count limits; the earlier ones show whether the limit fits.",
  }),
  endedOptOutDays: setting({
    env: 'ONESIXTY_ENDED_OPT_OUT_DAYS',
    read: wholeNumber(0),
    default: 90,
    summary:
      'Days to keep an opt-out after its end, to explain a rejection while its records exist. An opt-out without an end is kept permanently.',
  }),
  deviceHistoryDays: setting({
    env: 'ONESIXTY_DEVICE_HISTORY_DAYS',
    read: wholeNumber(1),
    default: 90,
    summary:
      'Days to keep past states and measurements of devices. As long as the messages that they carried.',
  }),
} as const
