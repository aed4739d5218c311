import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { defineConfig } from 'vitest/config'
import { compiledModules } from './scripts/compiled-modules.ts'
import { LongestFirst } from './test/longest-first.ts'
import { memoryFolder } from './test/memory-folder.ts'
import { endAfter, isLong } from './test/proof-sizes.ts'
import { filesOf } from './test/projects.ts'

/** As in bin/onesixty.js. The HTTP client of the tests (`fetch`) is WebAssembly that is called often, and took a worker along. */
const keepWasmWrappers = '--wasm-wrapper-tiering-budget=2147483647'
setFlagsFromString(keepWasmWrappers)

/** A nursery that begins as large as it may become: what tests make is short-lived, and its growth took a twentieth of their processor time. */
const wholeNursery = '--min-semi-space-size=16'

/** What the tests start loads the same modules again and again. */
process.env['NODE_COMPILE_CACHE'] ??= compiledModules

const openFolder = (parent: string): string => {
  const folder = mkdtempSync(join(parent, 'onesixty-tests-'))
  chmodSync(folder, 0o755)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The folder of what kills processes, and of any proof at its long size: a disk, which flushes slowly. */
const onDisk = openFolder(tmpdir())
/** The folder of all others; where none was asked for, in memory. */
const folder = isLong() || process.env['TMPDIR'] !== undefined ? onDisk : openFolder(memoryFolder())
process.env['TMPDIR'] = folder

const statementsFolder = mkdtempSync(join(folder, 'statements-'))

/** A project of what kills servers of the embedded database, whose files lie on a disk. */
const killing = (
  name: 'crash' | 'crash-alone' | 'crash-beside',
  { maxWorkers, groupOrder }: { maxWorkers: number; groupOrder: number },
) => ({
  extends: true as const,
  test: {
    name,
    include: filesOf[name],
    isolate: false,
    env: { ONESIXTY_TEST_DATABASE: 'sqlite', TMPDIR: onDisk },
    testTimeout: endAfter(120_000),
    hookTimeout: 60_000,
    maxWorkers,
    sequence: { groupOrder },
  },
})

/**
 * One project for each kind of proof: what needs no database runs once. A group begins when the one before it has ended, so that what kills processes
 * and measures has the machine to itself. Modules are loaded once for all files of a worker.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    // Node.js loads the modules, as it does for the program. Vite wrote each anew for each project, and had every use of an import call a getter.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: [keepWasmWrappers, wholeNursery],
    // Two cores: what waits for a phone, a link or a disk leaves them to others.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    allowOnly: false,
    restoreMocks: true,
    teardownTimeout: 5_000,
    provide: { statementsFolder, propertySeed: Date.now() % 0x7fff_ffff },
    // An end for what hangs, not a measure: where a time is the promise, the test says it. A machine with other work is slow.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['test/no-leftovers.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: filesOf.unit,
          isolate: false,
          setupFiles: ['test/seen-statements.ts', 'test/same-seed.ts', 'test/quick-hashes.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: filesOf.sqlite,
          isolate: false,
          env: { ONESIXTY_TEST_DATABASE: 'sqlite' },
          setupFiles: ['test/seen-statements.ts', 'test/same-seed.ts', 'test/quick-hashes.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: filesOf.postgres,
          isolate: false,
          env: { ONESIXTY_TEST_DATABASE: 'postgres' },
          globalSetup: ['test/postgres-server.ts'],
          setupFiles: ['test/seen-statements.ts', 'test/same-seed.ts', 'test/quick-hashes.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: filesOf.e2e,
          env: { ONESIXTY_TEST_DATABASE: 'sqlite' },
          globalSetup: ['scripts/build-console.ts', 'test/e2e/chromium.ts', 'test/e2e/browser-turns.ts'],
          setupFiles: ['test/e2e/take-turn.ts'],
          // A worker that has loaded the program and the driver of the browser serves the next file with them.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // A Chromium and a server each: two of them (test/e2e/browser-turns.ts), and beside them what waits for leases of nodes.
          maxWorkers: 3,
          sequence: { groupOrder: 3 },
        },
      },
      killing('crash', { maxWorkers: 2, groupOrder: 1 }),
      killing('crash-alone', { maxWorkers: 1, groupOrder: 2 }),
      killing('crash-beside', { maxWorkers: 3, groupOrder: 3 }),
      {
        extends: true,
        test: {
          name: 'crash-postgres',
          include: filesOf['crash-postgres'],
          isolate: false,
          env: { ONESIXTY_TEST_DATABASE: 'postgres', TMPDIR: onDisk },
          globalSetup: ['test/postgres-server.ts'],
          testTimeout: endAfter(560_000),
          hookTimeout: 120_000,
          maxWorkers: 3,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: { name: 'statements', include: filesOf.statements, sequence: { groupOrder: 4 } },
      },
    ],
  },
})
