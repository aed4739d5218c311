import { setFlagsFromString } from 'node:v8'
import { defineConfig } from 'vitest/config'
import { endAfter } from './test/proof-sizes.ts'

/** As in bin/onesixty.js. The HTTP client of the tests (`fetch`) is WebAssembly that is called often, and took a worker along. */
const keepWasmWrappers = '--wasm-wrapper-tiering-budget=2147483647'
setFlagsFromString(keepWasmWrappers)

const pure = ['test/unit/**/*.test.ts', 'test/architecture/**/*.test.ts', 'test/documents.test.ts']
const crash = ['test/crash/**/*.test.ts']
/** What kills servers of several nodes, or a PostgreSQL. */
const crashPostgres = ['test/crash/postgres/**/*.test.ts']
const e2e = ['test/e2e/**/*.test.ts']
/** What is about PostgreSQL itself. */
const postgresOnly = ['test/postgres/**', 'test/move/**']
/** What is about the file of the embedded database or its threads, or starts a PostgreSQL of its own. */
const embeddedOnly = [
  'test/storage/**',
  'test/cli/backup-restore.test.ts',
  'test/cli/doctor-file.test.ts',
  'test/cli/epoch-file.test.ts',
  'test/cli/folder-lock.test.ts',
  'test/cli/data-folder.test.ts',
]

/** What several servers of one database do, which PostgreSQL alone allows. */
const severalNodes = ['test/nodes/**/*.test.ts']

/**
 * One project for each kind of proof. A group begins when the one before it has ended, so that what kills processes has the
 * machine to itself.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    execArgv: [keepWasmWrappers],
    maxWorkers: 2,
    allowOnly: false,
    teardownTimeout: 5_000,
    // An end for what hangs, not a measure: where a time is the promise, the test says it. A machine with other work is slow.
    testTimeout: 20_000,
    hookTimeout: 40_000,
    setupFiles: ['test/no-leftovers.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: pure, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: ['test/**/*.test.ts'],
          exclude: [...pure, ...crash, ...e2e, ...postgresOnly, ...severalNodes],
          env: { ONESIXTY_TEST_DATABASE: 'sqlite' },
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: ['test/**/*.test.ts'],
          exclude: [...pure, ...crash, ...e2e, ...embeddedOnly],
          env: { ONESIXTY_TEST_DATABASE: 'postgres' },
          globalSetup: ['test/postgres-server.ts'],
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: e2e,
          env: { ONESIXTY_TEST_DATABASE: 'sqlite' },
          globalSetup: ['scripts/build-console.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // A Chromium and a server each: more than one at a time would only wait for one another.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'crash',
          include: crash,
          exclude: crashPostgres,
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
          include: crashPostgres,
          env: { ONESIXTY_TEST_DATABASE: 'postgres' },
          globalSetup: ['test/postgres-server.ts'],
          testTimeout: endAfter(560_000),
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})
