import { matchesGlob } from 'node:path'
import { needStore, testFiles } from './test-files.ts'

const among = (files: readonly string[], ...globs: readonly string[]): string[] =>
  files.filter((file) => globs.some((glob) => matchesGlob(file, glob)))
const without = (files: readonly string[], ...globs: readonly string[]): string[] =>
  files.filter((file) => !globs.some((glob) => matchesGlob(file, glob)))

/** What kills servers of several nodes, or a PostgreSQL. */
const crashPostgres = 'test/crash/postgres/**'
/** What kills a server of the embedded database, measures no time, and bears the tests with a browser beside it. */
const crashBeside = [
  'test/crash/put-back.test.ts',
  'test/crash/restore.test.ts',
  'test/crash/webhooks.test.ts',
]
/** What is about PostgreSQL itself, or about several servers of one database, which it alone allows. */
const postgresOnly = ['test/postgres/**', 'test/move/**', 'test/nodes/**']
/** What is about the file of the embedded database or its threads, or starts a PostgreSQL of its own. */
const embeddedOnly = [
  'test/storage/**',
  'test/cli/backup-restore.test.ts',
  'test/cli/doctor-file.test.ts',
  'test/cli/epoch-file.test.ts',
  'test/cli/data-folder.test.ts',
  'test/cli/lost-database.test.ts',
]
/** Rooms whose tests look through an edge at words, pages and commands; what they store others store, too, and run on PostgreSQL. */
const edges = [
  'test/*',
  'test/api/**',
  'test/cli/**',
  'test/console/**',
  'test/deployment/**',
  'test/smpp/**',
]
/**
 * Of the edges, what makes statements that no other test makes (test/statements/ misses them), or where the databases differ: in what values they
 * take, whose rows they show, what they say when they refuse, and how they plan.
 */
const edgesOnPostgres = [
  'test/life-of-a-message.test.ts',
  'test/log-canary.test.ts',
  'test/scheduled-life.test.ts',
  'test/api/{authentication,fuzz,idempotency,nul,rate-limit,send,send-guard,send-policy}.test.ts',
  'test/cli/{accounts-and-keys,canary,device,device-taken,doctor,epoch,group,operator-tokens,phone,restore-holds,route,secret,send,unusable}.test.ts',
  'test/console/{access,alert-choices,attacks,balance,changed-secret,device-order,devices,history,identity,keys,links}.test.ts',
  'test/console/{ended-meanwhile,operator,overview,passkey-refusals,rules-page,second-factor,webhooks}.test.ts',
  'test/smpp/house-receipts.test.ts',
]
/**
 * Of the other rooms, what is about something else than the database: the words and the pace of phones, modems and messaging services, receivers of
 * webhooks, mails.
 */
const withoutSql = [
  'test/alerts/told-ends.test.ts',
  'test/http-provider/{another-provider,provider-devices,relayed-messages}.test.ts',
  'test/modem/house.test.ts',
  'test/phones/conformance.test.ts',
  'test/phones/connect-from-terminal.test.ts',
  'test/phones/gateway-pace.test.ts',
  'test/phones/phone-life.test.ts',
  'test/phones/phone-trials.test.ts',
  'test/phones/visits.test.ts',
  'test/certificates/private-network.test.ts',
  'test/reach/reach-of-server.test.ts',
  'test/webhooks/hostile-receivers.test.ts',
]

const [crash, e2e, statements] = [among(testFiles, 'test/crash/**'), among(testFiles, 'test/e2e/**'), among(testFiles, 'test/statements/**')] // prettier-ignore
const others = testFiles.filter((file) => ![...crash, ...e2e, ...statements].includes(file))
const stored = needStore(others)

/** The test files of each project of Vitest: what needs no database runs once, what kills processes or has a browser by itself. */
export const filesOf = {
  unit: others.filter((file) => !stored.includes(file)),
  sqlite: without(stored, ...postgresOnly),
  postgres: [
    ...without(stored, ...embeddedOnly, ...edges, ...withoutSql),
    ...among(stored, ...edgesOnPostgres),
  ],
  e2e,
  crash: without(crash, crashPostgres, ...crashBeside),
  'crash-beside': among(crash, ...crashBeside),
  'crash-postgres': among(crash, crashPostgres),
  statements,
}
