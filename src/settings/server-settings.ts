import { setting } from './setting.ts'
import {
  commandWord,
  httpOrigin,
  list,
  longSecret,
  nodeName,
  oneOf,
  someText,
  wholeNumber,
} from './setting-readers.ts'

/** Settings of the server: its address, its name and its log. */
export const serverSettings = {
  host: setting({
    env: 'ONESIXTY_HOST',
    read: someText,
    default: '127.0.0.1',
    summary: 'Address to listen on. By default only this machine can connect.',
  }),
  port: setting({
    env: 'ONESIXTY_PORT',
    read: wholeNumber(0, 65_535),
    default: 8160,
    summary: 'Port to listen on; 0 chooses a free one.',
  }),
  publicUrl: setting<string | null>({
    env: 'ONESIXTY_PUBLIC_URL',
    read: httpOrigin,
    default: null,
    summary:
      'Public address of this server, as clients and browsers reach it. Default: built from host and port.',
  }),
  tlsCert: setting<string | null>({
    env: 'ONESIXTY_TLS_CERT',
    read: someText,
    default: null,
    summary:
      'File with the certificate chain (PEM). With it and the key the server speaks HTTPS; a reverse proxy works as well.',
  }),
  tlsKey: setting<string | null>({
    env: 'ONESIXTY_TLS_KEY',
    read: someText,
    default: null,
    summary: 'File with the private key (PEM) of the certificate.',
  }),
  trustedProxies: setting<readonly string[]>({
    env: 'ONESIXTY_TRUSTED_PROXIES',
    read: list,
    default: [],
    summary:
      'Proxies whose X-Forwarded-For is trusted: addresses and CIDRs, separated by commas. Default: none.',
  }),
  dataFolder: setting({
    env: 'ONESIXTY_DATA',
    read: someText,
    default: './data',
    summary:
      'Folder of the embedded database, of its start number (epoch), and of the current and former secrets.',
  }),
  secret: setting<string | null>({
    env: 'ONESIXTY_SECRET',
    read: longSecret,
    default: null,
    summary:
      'Encrypts stored secrets that must be read again. Default: generated into the file `secret` of the data folder; former ones are in `secret.previous` there, one per line.',
    secret: true,
  }),
  node: setting<string | null>({
    env: 'ONESIXTY_NODE',
    read: nodeName,
    default: null,
    summary:
      'Name of this server, shown with the SMPP connections that it runs. Default: the name of the machine, on PostgreSQL with a suffix for the data folder. It must stay the same over restarts and be unique among the servers of one database.',
  }),
  command: setting<string | null>({
    env: 'ONESIXTY_COMMAND',
    read: commandWord,
    default: null,
    summary:
      'What printed commands begin with, for a package or an image whose commands run in another way: `docker exec sms onesixty`. Default: found by how the program was installed (docs/operating.md).',
  }),
  logLevel: setting({
    env: 'ONESIXTY_LOG_LEVEL',
    read: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
    summary: 'Log level: trace, debug, info, warn, error or silent.',
  }),
  logSends: setting({
    env: 'ONESIXTY_LOG_SENDS',
    read: oneOf('count', 'each'),
    default: 'count',
    summary:
      'Whether the log has a line each minute with the number of accepted sends (`count`) or one for `each`. History has their messages either way; every other request has a line.',
  }),
  metricsToken: setting<string | null>({
    env: 'ONESIXTY_METRICS_TOKEN',
    read: longSecret,
    default: null,
    summary: 'Bearer token that allows other machines to read /metrics. Without it only loopback can.',
    secret: true,
  }),
  drainTimeoutMs: setting({
    env: 'ONESIXTY_DRAIN_TIMEOUT_MS',
    read: wholeNumber(0),
    default: 30_000,
    summary:
      'Milliseconds that a stop waits for submissions in flight. By default as long as an SMPP connection waits for a response, and less than the 45 s after which systemd and compose.yaml kill the process.',
  }),
} as const
