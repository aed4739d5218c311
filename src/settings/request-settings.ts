import { setting } from './setting.ts'
import { wholeNumber } from './setting-readers.ts'

/** What may be asked in a minute, and how large and how slow a request may be. */
export const requestSettings = {
  sendPerMinute: setting({
    env: 'ONESIXTY_SEND_PER_MINUTE',
    read: wholeNumber(0),
    default: 600,
    says: 'Sends a minute, account and mode; 0 switches the limit off. Protects the queue.',
  }),
  sendBurst: setting({
    env: 'ONESIXTY_SEND_BURST',
    read: wholeNumber(1),
    default: 100,
    says: 'Sends that may come at once: ten seconds of the rate, for programs that send in batches.',
  }),
  readPerMinute: setting({
    env: 'ONESIXTY_READ_PER_MINUTE',
    read: wholeNumber(0),
    default: 1200,
    says: 'Reads a minute, account and mode; 0 switches the limit off. Two for each send, so that a program can look at what it has sent.',
  }),
  operatorPerMinute: setting({
    env: 'ONESIXTY_OPERATOR_PER_MINUTE',
    read: wholeNumber(0),
    default: 600,
    says: 'Requests a minute with one token of the operator (/operator/v1); 0 switches the limit off. A billing system that runs wild must not hold up sending.',
  }),
  failedAuthPerMinute: setting({
    env: 'ONESIXTY_FAILED_AUTH_PER_MINUTE',
    read: wholeNumber(0),
    default: 30,
    says: 'Failed authentications a minute and address, then 429; slows the guessing of keys.',
  }),
  authMessagesPerRecipient: setting({
    env: 'ONESIXTY_AUTH_MESSAGES_PER_RECIPIENT',
    read: wholeNumber(0),
    default: 5,
    says: 'Authentication messages to one number in 10 minutes, and in any 10 minutes that are scheduled (`send_at`); 0 switches the limit off. Stops code bombing.',
  }),
  maxBodyBytes: setting({
    env: 'ONESIXTY_MAX_BODY_BYTES',
    read: wholeNumber(1024, 16_777_216),
    default: 65_536,
    says: 'Largest request body; 100 recipients and a long text need 8 KiB.',
  }),
  headersTimeoutMs: setting({
    env: 'ONESIXTY_HEADERS_TIMEOUT_MS',
    read: wholeNumber(100),
    default: 5_000,
    says: 'Time for the headers of a request; ends slow-header attacks.',
  }),
  requestTimeoutMs: setting({
    env: 'ONESIXTY_REQUEST_TIMEOUT_MS',
    read: wholeNumber(100),
    default: 10_000,
    says: 'Time for a whole request to arrive: the largest of a program (64 KiB) comes in time over 53 kbit/s, of the console (1 MiB) over 840, and who sends slower on purpose holds no connection for long.',
  }),
  keepAliveTimeoutMs: setting({
    env: 'ONESIXTY_KEEP_ALIVE_TIMEOUT_MS',
    read: wholeNumber(100),
    default: 72_000,
    says: 'How long an idle connection stays open; longer than the usual 60 s of proxies.',
  }),
  maxConnections: setting({
    env: 'ONESIXTY_MAX_CONNECTIONS',
    read: wholeNumber(1),
    default: 10_000,
    says: 'Open connections; more are closed at once. An idle one costs some 10 KB without TLS: this many are 100 MB.',
  }),
  maxPendingSends: setting({
    env: 'ONESIXTY_MAX_PENDING_SENDS',
    read: wholeNumber(1),
    default: 5_000,
    says: 'Sends that may wait for their commit at once, then 503; bounds memory when the disk is slow.',
  }),
  maxBatchMessages: setting({
    env: 'ONESIXTY_MAX_BATCH_MESSAGES',
    read: wholeNumber(1, 100_000),
    default: 1_000,
    says: 'Messages accepted in one transaction; a thousand take about 15 ms, which every other write waits for.',
  }),
} as const
