import { oneOf, postgresUrl, wholeNumber } from './setting-readers.ts'
import { type Role, readRoles, roles } from './roles.ts'
import { setting } from './setting.ts'

/** Where the data is, and how long anybody waits for it. */
export const storageSettings = {
  databaseUrl: setting<string | null>({
    env: 'DATABASE_URL',
    read: postgresUrl,
    default: null,
    says: 'A PostgreSQL database (postgres://user@host/name) for one or more nodes; without it the embedded one in the data folder. The password may stand in PGPASSWORD or a pgpass file.',
    secret: true,
  }),
  postgresReaders: setting({
    env: 'ONESIXTY_POSTGRES_READERS',
    read: wholeNumber(1, 100),
    default: 8,
    says: 'Connections that all reads for accounts share, on each node; the service itself takes nine more. PostgreSQL allows 100 by default.',
  }),
  postgresConnectTimeoutMs: setting({
    env: 'ONESIXTY_POSTGRES_CONNECT_TIMEOUT_MS',
    read: wholeNumber(1),
    default: 1_500,
    says: 'A PostgreSQL server that does not answer within this counts as away: callers get 503 within 2 s.',
  }),
  postgresStatementTimeoutMs: setting({
    env: 'ONESIXTY_POSTGRES_STATEMENT_TIMEOUT_MS',
    read: wholeNumber(100),
    default: 10_000,
    says: 'No statement of the service runs longer, its wait for other nodes included.',
  }),
  postgresListen: setting<'yes' | 'no'>({
    env: 'ONESIXTY_POSTGRES_LISTEN',
    read: oneOf('yes', 'no'),
    default: 'yes',
    says: 'Whether nodes wake each other by LISTEN and NOTIFY: yes or no. No behind a pooler that gives connections to transactions (PgBouncer): nodes then find each other’s work within half a second.',
  }),
  roles: setting<readonly Role[]>({
    env: 'ONESIXTY_ROLES',
    read: readRoles,
    default: roles,
    says: 'What this server does of the service, on PostgreSQL; `serve --roles` overrides it. api: answers programs, people and phones. dispatch: runs the links. webhooks: tells customers. janitor: cleans up; of several nodes with this role one does it at a time. Each is needed somewhere.',
  }),
  busyTimeoutMs: setting({
    env: 'ONESIXTY_BUSY_TIMEOUT_MS',
    read: wholeNumber(0),
    default: 5_000,
    says: 'How long a write waits for another process (the command line) to finish writing. Commands write in bounded steps, which take far less; migrate alone does all in one.',
  }),
  cacheKib: setting({
    env: 'ONESIXTY_CACHE_KIB',
    read: wholeNumber(1024),
    default: 8_192,
    says: 'Page cache of the SQLite connection that writes; one that reads has a quarter of it. The system keeps pages as well: twice as much made nothing faster and took 12 MB more.',
  }),
} as const
