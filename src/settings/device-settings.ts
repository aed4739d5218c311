import { setting } from './setting.ts'
import { wholeNumber } from './setting-readers.ts'

/** Sending devices, their registrations and their receipts. */
export const deviceSettings = {
  pollIntervalMs: setting({
    env: 'ONESIXTY_POLL_INTERVAL_MS',
    read: wholeNumber(10),
    default: 500,
    says: 'How often the dispatcher looks for work that nobody announced: what a lost wake-up delays, at most. A look while nothing waits costs one small read.',
  }),
  breakerRestMinutes: setting({
    env: 'ONESIXTY_BREAKER_REST_MINUTES',
    read: wholeNumber(0, 1_440),
    default: 5,
    says: 'How long a device gets nothing after 20 hand-overs in a row, or more than 1 % of them, had no answer; then it is tried with one message at a time. One that fails five times in a row is tried so rarely beside others that work, and with ever longer pauses, up to this, where it is alone. 0 waits until the device is changed. Long enough for a peer to be restarted, short against the day that a message is valid by default (a code: ten minutes).',
  }),
  receiptWindowHours: setting({
    env: 'ONESIXTY_RECEIPT_WINDOW_HOURS',
    read: wholeNumber(1, 720),
    default: 72,
    says: 'How long a receipt is waited for before a sent message becomes unconfirmed: the longest validity of a send, which the network may use up.',
  }),
  correctionDays: setting({
    env: 'ONESIXTY_CORRECTION_DAYS',
    read: wholeNumber(0, 30),
    default: 7,
    says: 'How long a late receipt may correct a final state: a week, as what a network held back comes within days or never.',
  }),
  parkedReceiptHours: setting({
    env: 'ONESIXTY_PARKED_RECEIPT_HOURS',
    read: wholeNumber(1, 720),
    default: 72,
    says: 'How long a receipt is kept that fits no known message: the answer that tells its id may still come. By default as long as receipts are waited for.',
  }),
  parkedReceipts: setting({
    env: 'ONESIXTY_PARKED_RECEIPTS',
    read: wholeNumber(1_000),
    default: 100_000,
    says: 'How many such receipts are kept of one device; the oldest go first. An SMSC account that other programs send over brings theirs too, without end; this many are some 100 MB.',
  }),
  phoneFailedAuthPerMinute: setting({
    env: 'ONESIXTY_PHONE_FAILED_AUTH_PER_MINUTE',
    read: wholeNumber(0),
    default: 120,
    says: 'Wrong tokens of phones a minute and address that are answered 401, then 429; 0 switches the limit off. Phones that were removed knock for ever, and many may stand behind one address.',
  }),
  phonesPerAccount: setting({
    env: 'ONESIXTY_PHONES_PER_ACCOUNT',
    read: wholeNumber(0),
    default: 1_000,
    says: 'Phones that may register with the private tokens of one account, or of the operator; 0 switches the limit off. A token that got about cannot fill the installation with devices.',
  }),
  registrationsPerHour: setting({
    env: 'ONESIXTY_REGISTRATIONS_PER_HOUR',
    read: wholeNumber(0),
    default: 3_600,
    says: 'Registrations of phones an hour with one private token; 0 switches the limit off. All phones of an account may come anew at once; a token that got about cannot fill the database.',
  }),
  phoneIdleTimeoutMs: setting({
    env: 'ONESIXTY_PHONE_IDLE_TIMEOUT_MS',
    read: wholeNumber(100),
    default: 5_000,
    says: 'How long an idle connection of a phone stays open, beside its stream of events, when no proxy stands between. The app keeps up to five for minutes, each of which costs 10 KB here.',
  }),
  simulatorsPerAccount: setting({
    env: 'ONESIXTY_SIMULATORS_PER_ACCOUNT',
    read: wholeNumber(0),
    default: 10,
    says: 'Simulators of its own that an account may add in the console; 0 switches the limit off. Ten play every mood at once.',
  }),
} as const
