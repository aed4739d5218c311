import { setting } from './setting.ts'
import { httpOrigin, list, longSecret, nodeName, oneOf, someText, wholeNumber } from './setting-readers.ts'

/** Where the server listens, what it is called and what it tells. */
export const serverSettings = {
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
  publicUrl: setting<string | null>({
    env: 'ONESIXTY_PUBLIC_URL',
    read: httpOrigin,
    default: null,
    says: 'The address that others know this service by; from host and port when not set.',
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
  trustedProxies: setting<readonly string[]>({
    env: 'ONESIXTY_TRUSTED_PROXIES',
    read: list,
    default: [],
    says: 'Proxies whose X-Forwarded-For counts: addresses and CIDRs, separated by commas.',
  }),
  dataFolder: setting({
    env: 'ONESIXTY_DATA',
    read: someText,
    default: './data',
    says: 'Folder of the embedded database, its epoch, its secret and the former ones.',
  }),
  secret: setting<string | null>({
    env: 'ONESIXTY_SECRET',
    read: longSecret,
    default: null,
    says: 'Encrypts what must be read again; made into the file `secret` of the data folder when not set. Former ones stand in `secret.previous` there, one a line.',
    secret: true,
  }),
  node: setting<string | null>({
    env: 'ONESIXTY_NODE',
    read: nodeName,
    default: null,
    says: 'Name of this server, shown with the links that it runs; the name of the machine when not set, on PostgreSQL with a mark of the data folder. It stays the same over restarts, and no other server of the same database bears it.',
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
  drainTimeoutMs: setting({
    env: 'ONESIXTY_DRAIN_TIMEOUT_MS',
    read: wholeNumber(0),
    default: 30_000,
    says: 'How long a stop waits for what is under way: as long as a link waits for an answer unless it is set otherwise, and less than the 45 s after which systemd and compose.yaml end it.',
  }),
} as const
