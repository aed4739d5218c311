import { setting } from './setting.ts'
import { hostAndPort, httpUrl, list, someText, wholeNumber } from './setting-readers.ts'

/** Settings of devices, their registrations and their receipts. */
export const deviceSettings = {
  pollIntervalMs: setting({
    env: 'ONESIXTY_POLL_INTERVAL_MS',
    read: wholeNumber(10),
    default: 500,
    summary:
      'Milliseconds between checks of the dispatcher for work without a notification: the maximum delay after a lost wake-up. A check of an empty queue costs one small read.',
  }),
  breakerRestMinutes: setting({
    env: 'ONESIXTY_BREAKER_REST_MINUTES',
    read: wholeNumber(0, 1_440),
    default: 5,
    summary:
      'Minutes that a device rests after 20 submissions in a row, or more than 1% of all, got no response; then it is tried with one message at a time. A device that fails five times in a row is tried this rarely while others work; without others, after growing pauses of up to this. 0 waits until the device is changed. An SMSC restarts faster, and messages are valid for a day by default (codes: ten minutes).',
  }),
  providerAllow: setting<readonly string[]>({
    env: 'ONESIXTY_PROVIDER_ALLOW',
    read: list,
    default: [],
    summary:
      'Hosts of providers that no declaration names, and private addresses of providers: addresses, CIDRs and host names, separated by commas. To these also HTTP without TLS is allowed. Default: none, so that no device sends its secrets to another host, or reaches the inside of a network.',
  }),
  receiptWindowHours: setting({
    env: 'ONESIXTY_RECEIPT_WINDOW_HOURS',
    read: wholeNumber(1, 720),
    default: 72,
    summary:
      'Hours to wait for a receipt before a sent message becomes unconfirmed. The longest validity of a message, all of which the network may use.',
  }),
  correctionDays: setting({
    env: 'ONESIXTY_CORRECTION_DAYS',
    read: wholeNumber(0, 30),
    default: 7,
    summary:
      'Days in which a late receipt can correct a final status. A week: what a network delays arrives within days or never.',
  }),
  parkedReceiptHours: setting({
    env: 'ONESIXTY_PARKED_RECEIPT_HOURS',
    read: wholeNumber(1, 720),
    default: 72,
    summary:
      'Hours to keep a receipt that matches no message: the response with its ID may still arrive. By default as long as receipts are waited for.',
  }),
  parkedReceipts: setting({
    env: 'ONESIXTY_PARKED_RECEIPTS',
    read: wholeNumber(1_000),
    default: 100_000,
    summary:
      'Maximum unmatched receipts to keep per device; the oldest are removed first. An SMSC account that other clients share delivers their receipts too, without end; this number takes about 100 MB.',
  }),
  phoneListen: setting<{ host: string; port: number } | null>({
    env: 'ONESIXTY_PHONE_LISTEN',
    read: hostAndPort,
    default: null,
    summary:
      'IPv4 address and port, such as 192.168.1.10:8443, of a second listener for phones: HTTPS with the certificate of `certificate for-phones`, and nothing but /mobile/v1. Phones get this address. Default: phones use the public address.',
  }),
  certificateFrom: setting({
    env: 'ONESIXTY_CERTIFICATE_FROM',
    read: httpUrl,
    default: 'https://ca.sms-gate.app/api/v1',
    summary:
      'CA of `certificate for-phones`. By default the one of the developers of the app, whose root the app contains: it certifies private addresses for a year.',
  }),
  phoneRoots: setting<string | null>({
    env: 'ONESIXTY_PHONE_ROOTS',
    read: someText,
    default: null,
    summary:
      'File with root certificates (PEM) that are installed on the phones, such as the one of your own CA. `doctor`, `device connect` and `device test` then trust it as the phones do. Default: only public CAs count.',
  }),
  phoneFailedAuthPerMinute: setting({
    env: 'ONESIXTY_PHONE_FAILED_AUTH_PER_MINUTE',
    read: wholeNumber(0),
    default: 120,
    summary:
      'Invalid phone tokens per minute and IP address that get 401, then 429; 0 = no limit. Removed phones retry indefinitely, and many can share one address.',
  }),
  phonesPerAccount: setting({
    env: 'ONESIXTY_PHONES_PER_ACCOUNT',
    read: wholeNumber(0),
    default: 1_000,
    summary:
      'Phones that can register with the private tokens of one account, or of the operator; 0 = no limit. A leaked token cannot fill the instance with devices.',
  }),
  registrationsPerHour: setting({
    env: 'ONESIXTY_REGISTRATIONS_PER_HOUR',
    read: wholeNumber(0),
    default: 3_600,
    summary:
      'Registrations of phones per hour with one private token; 0 = no limit. All phones of an account can register again at the same time, but a leaked token cannot fill the database.',
  }),
  phoneIdleTimeoutMs: setting({
    env: 'ONESIXTY_PHONE_IDLE_TIMEOUT_MS',
    read: wholeNumber(100),
    default: 5_000,
    summary:
      'Milliseconds that an idle connection of a phone stays open, apart from its event stream, when no proxy is in between. The app keeps up to five open for minutes, each of which costs 10 KB here.',
  }),
  simulatorsPerAccount: setting({
    env: 'ONESIXTY_SIMULATORS_PER_ACCOUNT',
    read: wholeNumber(0),
    default: 10,
    summary:
      'Simulators that an account can add in the console; 0 = no limit. Ten cover all simulated outcomes at the same time.',
  }),
} as const
