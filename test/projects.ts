import { matchesGlob } from 'node:path'
import { needStore, testFiles } from './test-files.ts'

const among = (files: readonly string[], ...globs: readonly string[]): string[] =>
  files.filter((file) => globs.some((glob) => matchesGlob(file, glob)))
const without = (files: readonly string[], ...globs: readonly string[]): string[] =>
  files.filter((file) => !globs.some((glob) => matchesGlob(file, glob)))

/** What kills servers of several nodes, or a PostgreSQL. */
const crashPostgres = 'test/crash/postgres/**'
/** What is about PostgreSQL itself, or about several servers of one database, which it alone allows. */
const postgresOnly = ['test/postgres/**', 'test/move/**', 'test/nodes/**']
/** What is about the file of the embedded database or its threads, or starts a PostgreSQL of its own. */
const embeddedOnly = [
  'test/storage/**',
  'test/cli/backup-restore.test.ts',
  'test/cli/doctor-file.test.ts',
  'test/cli/epoch-file.test.ts',
  'test/cli/data-folder.test.ts',
]
/**
 * What makes no statement that no other test makes (test/statements/ holds it to that), and is about something else than the database: the words of
 * phones and SMSCs, receivers of webhooks, the container.
 */
const withoutSql = [
  'test/cli/start-over.test.ts',
  'test/smpp/foreign-tls.test.ts',
  'test/smpp/link-changes.test.ts',
  'test/smpp/link-faults.test.ts',
  'test/smpp/link-metrics.test.ts',
  'test/smpp/no-secrets.test.ts',
  'test/smpp/ten-thousand.test.ts',
  'test/deployment/started-server.test.ts',
  'test/phones/conformance.test.ts',
  'test/phones/connect-from-terminal.test.ts',
  'test/phones/phone-life.test.ts',
  'test/webhooks/hostile-receivers.test.ts',
]

const [crash, e2e, statements] = [among(testFiles, 'test/crash/**'), among(testFiles, 'test/e2e/**'), among(testFiles, 'test/statements/**')] // prettier-ignore
const others = testFiles.filter((file) => ![...crash, ...e2e, ...statements].includes(file))
const stored = needStore(others)

/** The test files of each project of Vitest: what needs no database runs once, what kills processes or has a browser by itself. */
export const filesOf = {
  unit: others.filter((file) => !stored.includes(file)),
  sqlite: without(stored, ...postgresOnly),
  postgres: without(stored, ...embeddedOnly, ...withoutSql),
  e2e,
  crash: without(crash, crashPostgres),
  'crash-postgres': among(crash, crashPostgres),
  statements,
}
