import { guardSettings } from './guard-settings.ts'
import { alertSettings } from './alert-settings.ts'
import { consoleSettings } from './console-settings.ts'
import { inboundSettings } from './inbound-settings.ts'
import { setting } from './setting.ts'
import { storageSettings } from './storage-settings.ts'
import { webhookSettings } from './webhook-settings.ts'
import { httpOrigin, list, longSecret, nodeName, oneOf, someText, wholeNumber } from './setting-readers.ts'

/** Every setting by its name in the code; `config.ts` reads them. */
export const settings = {
  host: setting({
    env: 'ONESIXTY_HOST',
    read: someText,
    default: '127.0.0.1',
    says: 'Address to listen on.',
  }),
  port: setting({
    env: 'ONESIXTY_PORT',
    read: wholeNumber(0, 65_535),
    default: 8160,
    says: 'Port to listen on; 0 takes a free one.',
  }),
  dataFolder: setting({
    env: 'ONESIXTY_DATA',
    read: someText,
    default: './data',
    says: 'Folder of the embedded database, its epoch and its secret.',
  }),
  node: setting<string | null>({
    env: 'ONESIXTY_NODE',
    read: nodeName,
    default: null,
    says: 'Name of this server, shown with the links that it runs; the name of the machine when not set, on PostgreSQL with a mark of the data folder. It stays the same over restarts, and no other server of the same database bears it.',
  }),
  tlsCert: setting<string | null>({
    env: 'ONESIXTY_TLS_CERT',
    read: someText,
    default: null,
    says: 'File of the certificate chain (PEM); with the key the service speaks HTTPS. A reverse proxy serves too.',
  }),
  tlsKey: setting<string | null>({
    env: 'ONESIXTY_TLS_KEY',
    read: someText,
    default: null,
    says: 'File of the private key (PEM).',
  }),
  publicUrl: setting<string | null>({
    env: 'ONESIXTY_PUBLIC_URL',
    read: httpOrigin,
    default: null,
    says: 'The address that others know this service by; from host and port when not set.',
  }),
  secret: setting<string | null>({
    env: 'ONESIXTY_SECRET',
    read: longSecret,
    default: null,
    says: 'Encrypts what must be read again; made into the file `secret` of the data folder when not set.',
    secret: true,
  }),
  logLevel: setting({
    env: 'ONESIXTY_LOG_LEVEL',
    read: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
    says: 'How much is logged: trace, debug, info, warn, error or silent.',
  }),
  metricsToken: setting<string | null>({
    env: 'ONESIXTY_METRICS_TOKEN',
    read: longSecret,
    default: null,
    says: 'Bearer token that opens /metrics to other machines; without it only loopback may read.',
    secret: true,
  }),
  trustedProxies: setting<readonly string[]>({
    env: 'ONESIXTY_TRUSTED_PROXIES',
    read: list,
    default: [],
    says: 'Proxies whose X-Forwarded-For counts: addresses and CIDRs, separated by commas.',
  }),
  freeSms: setting({
    env: 'ONESIXTY_FREE_SMS',
    read: wholeNumber(0, 1_000_000),
    default: 10,
    says: 'SMS granted to a new account.',
  }),
  playSms: setting({
    env: 'ONESIXTY_PLAY_SMS',
    read: wholeNumber(0, 1_000_000),
    default: 1000,
    says: 'What a test wallet is refilled to each day at 00:00 UTC.',
  }),
  lowBalance: setting({
    env: 'ONESIXTY_LOW_BALANCE',
    read: wholeNumber(0),
    default: 5,
    says: 'At or below this many SMS a new account counts as low.',
  }),
  ...consoleSettings,
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
    says: 'Sends that may come at once.',
  }),
  readPerMinute: setting({
    env: 'ONESIXTY_READ_PER_MINUTE',
    read: wholeNumber(0),
    default: 1200,
    says: 'Reads a minute, account and mode; 0 switches the limit off.',
  }),
  failedAuthPerMinute: setting({
    env: 'ONESIXTY_FAILED_AUTH_PER_MINUTE',
    read: wholeNumber(0),
    default: 30,
    says: 'Failed authentications a minute and address, then 429; slows the guessing of keys.',
  }),
  // prettier-ignore
  operatorPerMinute: setting({ env: 'ONESIXTY_OPERATOR_PER_MINUTE', read: wholeNumber(0), default: 600, says: 'Requests a minute with one token of the operator (/operator/v1); 0 switches the limit off. A billing system that runs wild must not hold up sending.' }),
  // prettier-ignore
  phoneFailedAuthPerMinute: setting({ env: 'ONESIXTY_PHONE_FAILED_AUTH_PER_MINUTE', read: wholeNumber(0), default: 120, says: 'Wrong tokens of phones a minute and address that are answered 401, then 429; 0 switches the limit off. Phones that were removed knock for ever, and many may stand behind one address.' }),
  // prettier-ignore
  phonesPerAccount: setting({ env: 'ONESIXTY_PHONES_PER_ACCOUNT', read: wholeNumber(0), default: 1_000, says: 'Phones that may register with the private tokens of one account, or of the operator; 0 switches the limit off. A token that got about can not fill the installation with devices.' }),
  // prettier-ignore
  registrationsPerHour: setting({ env: 'ONESIXTY_REGISTRATIONS_PER_HOUR', read: wholeNumber(0), default: 3_600, says: 'Registrations of phones an hour with one private token; 0 switches the limit off. All phones of an account may come anew at once; a token that got about can not fill the database.' }),
  // prettier-ignore
  consoleStreams: setting({ env: 'ONESIXTY_CONSOLE_STREAMS', read: wholeNumber(1), default: 50, says: 'Tabs of the console that may look on at one account at the same time, on each node. Each reads what has changed, several times a second while much does.' }),
  // prettier-ignore
  queueLimit: setting({ env: 'ONESIXTY_QUEUE_LIMIT', read: wholeNumber(0), default: 10_000, says: 'Messages that may wait, account and mode; 0 switches the limit off.' }),
  authMessagesPerRecipient: setting({
    env: 'ONESIXTY_AUTH_MESSAGES_PER_RECIPIENT',
    read: wholeNumber(0),
    default: 5,
    says: 'Authentication messages to one number in 10 minutes; 0 switches the limit off. Stops code bombing.',
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
    says: 'Time for a whole request to arrive.',
  }),
  keepAliveTimeoutMs: setting({
    env: 'ONESIXTY_KEEP_ALIVE_TIMEOUT_MS',
    read: wholeNumber(100),
    default: 72_000,
    says: 'How long an idle connection stays open; longer than the usual 60 s of proxies.',
  }),
  phoneIdleTimeoutMs: setting({
    env: 'ONESIXTY_PHONE_IDLE_TIMEOUT_MS',
    read: wholeNumber(100),
    default: 5_000,
    says: 'How long an idle connection of a phone stays open, beside its stream of events, when no proxy stands between. The app keeps up to five for minutes, each of which costs 10 KB here.',
  }),
  maxConnections: setting({
    env: 'ONESIXTY_MAX_CONNECTIONS',
    read: wholeNumber(1),
    default: 10_000,
    says: 'Open connections; more are closed at once.',
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
  receiptWindowHours: setting({
    env: 'ONESIXTY_RECEIPT_WINDOW_HOURS',
    read: wholeNumber(1, 720),
    default: 72,
    says: 'How long a receipt is waited for before a sent message becomes unconfirmed.',
  }),
  correctionDays: setting({
    env: 'ONESIXTY_CORRECTION_DAYS',
    read: wholeNumber(0, 30),
    default: 7,
    says: 'How long a late receipt may correct a final state.',
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
  ...inboundSettings,
  breakerRestMinutes: setting({
    env: 'ONESIXTY_BREAKER_REST_MINUTES',
    read: wholeNumber(0, 1_440),
    default: 5,
    says: 'How long a device gets nothing after 20 hand-overs in a row, or more than 1 % of them, had no answer; then it is tried with one message at a time. 0 waits until the device is changed.',
  }),
  recordRetentionDays: setting({
    env: 'ONESIXTY_RECORD_RETENTION_DAYS',
    read: wholeNumber(1),
    default: 90,
    says: 'How long messages are kept from when they were accepted; one that ended late stays until no receipt can come any more.',
  }),
  textRetentionDays: setting({
    env: 'ONESIXTY_TEXT_RETENTION_DAYS',
    read: wholeNumber(0),
    default: 30,
    says: 'How long texts are kept.',
  }),
  idempotencyDays: setting({
    env: 'ONESIXTY_IDEMPOTENCY_DAYS',
    read: wholeNumber(1),
    default: 7,
    says: 'How long an Idempotency-Key is kept, and until its messages are final.',
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
  // prettier-ignore
  deviceHistoryDays: setting({ env: 'ONESIXTY_DEVICE_HISTORY_DAYS', read: wholeNumber(1), default: 90, says: 'How long past states and measurements of devices are kept: as long as the messages that they carried.' }),
  // prettier-ignore
  simulatorsPerAccount: setting({ env: 'ONESIXTY_SIMULATORS_PER_ACCOUNT', read: wholeNumber(0), default: 10, says: 'Simulators of its own that an account may add in the console; 0 switches the limit off. Ten play every mood at once.' }),
  ...guardSettings,
  ...alertSettings,
  ...storageSettings,
  ...webhookSettings,
  drainTimeoutMs: setting({
    env: 'ONESIXTY_DRAIN_TIMEOUT_MS',
    read: wholeNumber(0),
    default: 30_000,
    says: 'How long a stop waits for what is under way.',
  }),
  pollIntervalMs: setting({
    env: 'ONESIXTY_POLL_INTERVAL_MS',
    read: wholeNumber(10),
    default: 500,
    says: 'How often the dispatcher looks for work that nobody announced.',
  }),
} as const
