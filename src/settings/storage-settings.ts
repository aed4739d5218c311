import { oneOf, postgresUrl, wholeNumber } from './setting-readers.ts'
import { type Role, readRoles, roles } from './roles.ts'
import { setting } from './setting.ts'

/** Settings of the database: its address, its timeouts and its cache. */
export const storageSettings = {
  databaseUrl: setting<string | null>({
    env: 'DATABASE_URL',
    read: postgresUrl,
    default: null,
    summary:
      'PostgreSQL database (postgres://user@host/name) for one or more nodes. Default: the embedded database in the data folder. The password can also be in PGPASSWORD or a pgpass file.',
    secret: true,
  }),
  postgresReaders: setting({
    env: 'ONESIXTY_POSTGRES_READERS',
    read: wholeNumber(1, 100),
    default: 8,
    summary:
      'PostgreSQL connections that all reads for accounts share, on each node; the server itself uses nine more. PostgreSQL allows 100 by default.',
  }),
  postgresConnectTimeoutMs: setting({
    env: 'ONESIXTY_POSTGRES_CONNECT_TIMEOUT_MS',
    read: wholeNumber(1),
    default: 1_500,
    summary:
      'Milliseconds after which a PostgreSQL server that does not respond counts as unavailable. Clients then get 503 within 2 s.',
  }),
  postgresStatementTimeoutMs: setting({
    env: 'ONESIXTY_POSTGRES_STATEMENT_TIMEOUT_MS',
    read: wholeNumber(100),
    default: 10_000,
    summary: 'Milliseconds after which a statement is cancelled, its wait for other nodes included.',
  }),
  postgresListen: setting<'yes' | 'no'>({
    env: 'ONESIXTY_POSTGRES_LISTEN',
    read: oneOf('yes', 'no'),
    default: 'yes',
    summary:
      'Whether nodes wake each other by LISTEN and NOTIFY: yes or no. Set no behind a pooler in transaction mode (PgBouncer): nodes then find each other’s work within half a second.',
  }),
  roles: setting<readonly Role[]>({
    env: 'ONESIXTY_ROLES',
    read: readRoles,
    default: roles,
    summary:
      'Tasks of this server, on PostgreSQL; `serve --roles` overrides it. api: serves clients, the console and phones. dispatch: runs the devices. webhooks: delivers events. janitor: cleans up; of several nodes with this role one is active at a time. Each role is needed on some node.',
  }),
  busyTimeoutMs: setting({
    env: 'ONESIXTY_BUSY_TIMEOUT_MS',
    read: wholeNumber(0),
    default: 5_000,
    summary:
      'Milliseconds that a write waits for another process (the command line) to finish writing. Commands write in short bounded steps; only migrate does all in one.',
  }),
  cacheKib: setting({
    env: 'ONESIXTY_CACHE_KIB',
    read: wholeNumber(1024),
    default: 8_192,
    summary:
      'Page cache of the SQLite connection that writes, in KiB; each reader has a quarter of it. The operating system caches pages as well: twice as much made nothing faster and took 12 MB more.',
  }),
} as const
