import { setting } from './setting.ts'
import { wholeNumber } from './setting-readers.ts'

/** How long what is over is kept. */
export const retentionSettings = {
  textRetentionDays: setting({
    env: 'ONESIXTY_TEXT_RETENTION_DAYS',
    read: wholeNumber(0),
    default: 30,
    says: 'How long texts are kept; that of a message which ends later goes within an hour of its end. A month, in which most questions about a text are asked; it is the most private thing that is kept.',
  }),
  recordRetentionDays: setting({
    env: 'ONESIXTY_RECORD_RETENTION_DAYS',
    read: wholeNumber(1),
    default: 90,
    says: 'How long messages are kept from when they were accepted; one that ended late stays until no receipt can come any more. A quarter of a year, since bills and complaints come later than messages.',
  }),
  idempotencyDays: setting({
    env: 'ONESIXTY_IDEMPOTENCY_DAYS',
    read: wholeNumber(1),
    default: 7,
    says: 'How long an Idempotency-Key is kept, and until its messages are final: a week outlasts what programs try again.',
  }),
  auditDays: setting({
    env: 'ONESIXTY_AUDIT_DAYS',
    read: wholeNumber(0),
    default: 730,
    says: 'How long the log of who changed what is kept; 0 keeps it for ever. Two years outlast most disputes about an account.',
  }),
  keyUsageDays: setting({
    env: 'ONESIXTY_KEY_USAGE_DAYS',
    read: wholeNumber(1),
    default: 90,
    says: 'How long the daily counts of keys with a cap are kept. Today alone limits; the days before show whether a cap fits.',
  }),
  endedOptOutDays: setting({
    env: 'ONESIXTY_ENDED_OPT_OUT_DAYS',
    read: wholeNumber(0),
    default: 90,
    says: 'How long an opt-out is kept after its end, to explain a refusal while the records around it stand. One without an end stands for ever.',
  }),
  deviceHistoryDays: setting({
    env: 'ONESIXTY_DEVICE_HISTORY_DAYS',
    read: wholeNumber(1),
    default: 90,
    says: 'How long past states and measurements of devices are kept: as long as the messages that they carried.',
  }),
} as const
