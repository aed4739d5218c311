import { setting } from './setting.ts'
import { oneOf, wholeNumber } from './setting-readers.ts'

/** Rate limits, and limits to the size and duration of requests. */
export const requestSettings = {
  sendPerMinute: setting({
    env: 'ONESIXTY_SEND_PER_MINUTE',
    read: wholeNumber(0),
    default: 600,
    summary: 'Sends per minute, account and mode; 0 = no limit. Protects the queue.',
  }),
  sendBurst: setting({
    env: 'ONESIXTY_SEND_BURST',
    read: wholeNumber(1),
    default: 100,
    summary: 'Sends in one burst. Ten seconds of the rate, for clients that send in batches.',
  }),
  readPerMinute: setting({
    env: 'ONESIXTY_READ_PER_MINUTE',
    read: wholeNumber(0),
    default: 1200,
    summary:
      'Reads per minute, account and mode; 0 = no limit. Two for each send, so that a client can check what it has sent.',
  }),
  operatorPerMinute: setting({
    env: 'ONESIXTY_OPERATOR_PER_MINUTE',
    read: wholeNumber(0),
    default: 600,
    summary:
      'Requests per minute with one operator token (/operator/v1); 0 = no limit. A billing system in an endless loop must not delay sending.',
  }),
  failedAuthPerMinute: setting({
    env: 'ONESIXTY_FAILED_AUTH_PER_MINUTE',
    read: wholeNumber(0),
    default: 30,
    summary: 'Failed authentications per minute and IP address, then 429. Slows down the guessing of keys.',
  }),
  authMessagesPerRecipient: setting({
    env: 'ONESIXTY_AUTH_MESSAGES_PER_RECIPIENT',
    read: wholeNumber(0),
    default: 5,
    summary:
      'Authentication messages to one number in 10 minutes, and in any 10 minutes that are scheduled (`send_at`); 0 = no limit. Stops code bombing.',
  }),
  maxBodyBytes: setting({
    env: 'ONESIXTY_MAX_BODY_BYTES',
    read: wholeNumber(1024, 16_777_216),
    default: 65_536,
    summary: 'Largest request body in bytes. 100 recipients and a long text need 8 KiB.',
  }),
  headersTimeoutMs: setting({
    env: 'ONESIXTY_HEADERS_TIMEOUT_MS',
    read: wholeNumber(100),
    default: 5_000,
    summary: 'Time allowed for the headers of a request, in milliseconds. Stops slow-header attacks.',
  }),
  requestTimeoutMs: setting({
    env: 'ONESIXTY_REQUEST_TIMEOUT_MS',
    read: wholeNumber(100),
    default: 10_000,
    summary:
      'Time allowed for a whole request to arrive, in milliseconds. The largest request of a client (64 KiB) arrives in time above 53 kbit/s, of the console (1 MiB) above 840; a client that is slow on purpose cannot hold a connection for long.',
  }),
  keepAliveTimeoutMs: setting({
    env: 'ONESIXTY_KEEP_ALIVE_TIMEOUT_MS',
    read: wholeNumber(100),
    default: 72_000,
    summary: 'Milliseconds that an idle connection stays open. Longer than the usual 60 s of proxies.',
  }),
  directRequests: setting({
    env: 'ONESIXTY_DIRECT_REQUESTS',
    read: oneOf('on', 'off'),
    default: 'on',
    summary:
      'Whether ordinary requests to `/api/v1` are read straight from the connection (`on`), which takes a quarter off the processor time of an accepted send, or all of them by `node:http` (`off`).',
  }),
  maxConnections: setting({
    env: 'ONESIXTY_MAX_CONNECTIONS',
    read: wholeNumber(1),
    default: 10_000,
    summary:
      'Maximum open connections; further ones are closed immediately. An idle one costs about 10 KB without TLS: this number takes 100 MB.',
  }),
  maxPendingSends: setting({
    env: 'ONESIXTY_MAX_PENDING_SENDS',
    read: wholeNumber(1),
    default: 5_000,
    summary: 'Maximum sends that wait for their commit, then 503. Bounds memory when the disk is slow.',
  }),
  maxBatchMessages: setting({
    env: 'ONESIXTY_MAX_BATCH_MESSAGES',
    read: wholeNumber(1, 100_000),
    default: 1_000,
    summary:
      'Messages accepted in one transaction. A thousand take about 15 ms, for which every other write waits.',
  }),
} as const
