import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { defineConfig } from 'vitest/config'
import { endAfter } from './test/proof-sizes.ts'
import { needStore, testFiles } from './test/test-files.ts'

/** As in bin/prepare.js. The HTTP client of the tests (`fetch`) is WebAssembly that is called often, and took a worker along. */
const keepWasmWrappers = '--wasm-wrapper-tiering-budget=2147483647'
setFlagsFromString(keepWasmWrappers)

/** What the tests start loads the same modules again and again. */
process.env['NODE_COMPILE_CACHE'] ??= join(
  import.meta.dirname,
  'node_modules',
  '.cache',
  'onesixty',
  'compiled',
)

const statementsFolder = mkdtempSync(join(tmpdir(), 'onesixty-statements-'))
process.on('exit', () => rmSync(statementsFolder, { recursive: true, force: true }))

const among = (files: readonly string[], ...globs: readonly string[]): string[] =>
  files.filter((file) => globs.some((glob) => matchesGlob(file, glob)))
const without = (files: readonly string[], ...globs: readonly string[]): string[] =>
  files.filter((file) => !globs.some((glob) => matchesGlob(file, glob)))

/** These have a machine, a browser or a server of their own. */
const apart = ['test/crash/**', 'test/e2e/**', 'test/statements/**']
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
  'test/cli/folder-lock.test.ts',
  'test/cli/data-folder.test.ts',
]
/**
 * What makes no statement that no other test makes (test/statements/ holds it to that), and is about something else than the database: devices and the
 * words that they speak, receivers of webhooks, how a process starts.
 */
const withoutSql = [
  // Those two settle messages in ways that nothing else does.
  'test/smpp/!(house-receipts|link-faults).test.ts',
  'test/contracts/**',
  'test/deployment/**',
  'test/phones/conformance.test.ts',
  'test/phones/connect-from-terminal.test.ts',
  'test/phones/phone-life.test.ts',
  'test/webhooks/hostile-receivers.test.ts',
  'test/cli/start-over.test.ts',
]

const files = without(testFiles, ...apart)
const stored = needStore(files)
const pure = files.filter((file) => !stored.includes(file))

/**
 * One project for each kind of proof: what needs no database runs once. A group begins when the one before it has ended, so that what kills processes
 * has the machine to itself. Modules are loaded once for all files of a worker, but where processes are killed.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    execArgv: [keepWasmWrappers],
    maxWorkers: 3,
    allowOnly: false,
    restoreMocks: true,
    teardownTimeout: 5_000,
    provide: { statementsFolder },
    // An end for what hangs, not a measure: where a time is the promise, the test says it. A machine with other work is slow.
    testTimeout: 20_000,
    hookTimeout: 40_000,
    setupFiles: ['test/no-leftovers.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: pure, isolate: false, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: without(stored, ...postgresOnly),
          isolate: false,
          env: { ONESIXTY_TEST_DATABASE: 'sqlite' },
          setupFiles: ['test/seen-statements.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: without(stored, ...embeddedOnly, ...withoutSql),
          isolate: false,
          env: { ONESIXTY_TEST_DATABASE: 'postgres' },
          globalSetup: ['test/postgres-server.ts'],
          setupFiles: ['test/seen-statements.ts'],
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: among(testFiles, 'test/e2e/**'),
          env: { ONESIXTY_TEST_DATABASE: 'sqlite' },
          globalSetup: ['scripts/build-console.ts', 'test/e2e/chromium.ts'],
          // A worker that has loaded the program and the driver of the browser serves the next file with them.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // A Chromium and a server each: two of them keep two cores busy.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'crash',
          include: without(among(testFiles, 'test/crash/**'), crashPostgres),
          env: { ONESIXTY_TEST_DATABASE: 'sqlite' },
          testTimeout: endAfter(120_000),
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'crash-postgres',
          include: among(testFiles, crashPostgres),
          env: { ONESIXTY_TEST_DATABASE: 'postgres' },
          globalSetup: ['test/postgres-server.ts'],
          testTimeout: endAfter(560_000),
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
      {
        extends: true,
        test: { name: 'statements', include: ['test/statements/**/*.test.ts'], sequence: { groupOrder: 5 } },
      },
    ],
  },
})
