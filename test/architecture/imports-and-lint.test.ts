import { execFile } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { cruiseSource } from '../../scripts/layers.ts'

const repository = join(import.meta.dirname, '../..')

type Files = Readonly<Record<string, string>>

/** What breaks these rules and no other, in files of its own: all faults are planted into one copy of the source. */
interface Fault {
  name: string
  files: Files
  rules: readonly string[]
}

const forbiddenImports: readonly Fault[] = [
  {
    name: 'a folder without a layer is caught',
    files: { 'src/utils/x.ts': 'export const x = 1' },
    rules: ['every-module-has-a-layer'],
  },
  {
    name: 'an upward import is caught, of types too',
    files: {
      'src/api/edge/imported-by-storage.ts': 'export interface Planted { a: string }',
      'src/storage/seam/imports-upward.ts':
        "import type { Planted } from '../../api/edge/imported-by-storage.ts'\nexport const a = (p: Planted) => p.a",
    },
    rules: ['storage-imports-only-downward'],
  },
  {
    name: 'an import of a neighbour is caught',
    files: {
      'src/ledger/imported-by-neighbour.ts': 'export const a = 1',
      'src/devices/core/imports-neighbour.ts': "export { a } from '../../ledger/imported-by-neighbour.ts'",
    },
    rules: ['devices-imports-only-downward'],
  },
  {
    name: 'an upward import between sub-rooms is caught, and one of the files above them',
    files: {
      'src/messages/queue/imported-by-core.ts': 'export const a = 1',
      'src/messages/core/imports-queue.ts': "export { a } from '../queue/imported-by-core.ts'",
      'src/messages/imported-by-phones.ts': 'export const a = 1',
      'src/messages/phones/imports-above.ts': "export { a } from '../imported-by-phones.ts'",
    },
    rules: [
      'every-module-has-a-sub-room',
      'messages-core-imports-only-downward',
      'messages-phones-imports-only-downward',
    ],
  },
  {
    name: 'a folder of a room that is none of its sub-rooms is caught, and a file beside them',
    files: { 'src/messages/more/x.ts': 'export const x = 1', 'src/storage/x.ts': 'export const x = 1' },
    rules: ['every-module-has-a-sub-room', 'every-module-has-a-sub-room'],
  },
  {
    name: 'a cycle is caught',
    files: {
      'src/ledger/cycle-begins.ts': "import { b } from './cycle-ends.ts'\nexport const a = () => b()",
      'src/ledger/cycle-ends.ts':
        "import { a } from './cycle-begins.ts'\nexport const b = (): unknown => a()",
    },
    rules: ['no-cycles'],
  },
  {
    name: 'a connector that looks beyond its seam is caught',
    files: {
      'src/connectors/looks-beyond/looks-beyond.ts':
        "import { Writer } from '../../storage/seam/writer.ts'\nexport const a = Writer",
    },
    rules: ['a-connector-sees-only-the-seam-and-primitives'],
  },
  {
    name: 'a connector kind named outside of the registry is caught',
    files: {
      'src/connectors/named/named.ts': 'export const a = 1',
      'src/dispatch/routes/names-a-kind.ts':
        "export const a = () => import('../../connectors/named/named.ts')",
    },
    rules: ['only-the-registry-names-connector-kinds'],
  },
  {
    name: 'a SQL driver outside of the storage is caught',
    files: {
      'src/ledger/imports-driver.ts':
        "import { DatabaseSync } from 'node:sqlite'\nexport const a = DatabaseSync",
    },
    rules: ['sql-drivers-stay-in-storage'],
  },
  {
    name: 'Fastify below the edge is caught',
    files: {
      'src/messages/core/imports-fastify.ts': "import { fastify } from 'fastify'\nexport const a = fastify",
    },
    rules: ['fastify-stays-at-the-edge'],
  },
  {
    name: 'an import of a development dependency is caught',
    files: {
      'src/messages/core/imports-dev-dependency.ts': "import fc from 'fast-check'\nexport const a = fc",
    },
    rules: ['the-program-runs-without-dev-dependencies'],
  },
  {
    name: 'an import that does not resolve is caught',
    files: { 'src/messages/core/imports-nothing.ts': "export { a } from './no-such-module.ts'" },
    rules: ['every-import-resolves'],
  },
]

const lintFaults: readonly Fault[] = [
  {
    name: 'a statement that nobody awaits is caught',
    files: {
      'src/storage/seam/not-awaited.ts':
        "import type { Tx } from './dialect.ts'\n" +
        "export async function forget(tx: Tx): Promise<void> { tx.deleteFrom('opt_outs').execute() }\n",
    },
    rules: ['typescript(no-floating-promises)'],
  },
  {
    name: 'a switch that forgets a case is caught',
    files: {
      'src/forgotten-case.ts':
        "export function f(a: 'x' | 'y'): number { switch (a) { case 'x': return 1 }\nreturn 2 }\n",
    },
    rules: ['typescript(switch-exhaustiveness-check)'],
  },
  {
    name: 'a dialect outside of the storage is caught',
    files: {
      'src/ledger/imports-dialect.ts':
        "import { SqliteDialect } from 'kysely'\nexport const a = SqliteDialect\n",
    },
    rules: ['eslint(no-restricted-imports)'],
  },
  {
    name: 'a file of more than 300 lines and a function of more than 60 are caught',
    files: { 'src/too-long.ts': `export function f(): void {\n${'\n'.repeat(300)}}\n` },
    rules: ['eslint(max-lines)', 'eslint(max-lines-per-function)'],
  },
]

const planted = filesOf([...forbiddenImports, ...lintFaults])
const { modules, summary, lintFindings } = await withCopy(
  ['src', 'package.json', 'tsconfig.json', '.oxlintrc.json'],
  planted,
  async (root) => {
    const lintPaths = Object.keys(filesOf(lintFaults))
    const [findings, cruised] = await Promise.all([lint(root, lintPaths), cruiseSource(root)])
    return { ...cruised, lintFindings: findings }
  },
)

test('every module was seen, and imports go one way', () => {
  const sourceFiles = globSync('src/**/*.ts', { cwd: repository })
  expect(sourceFiles.length).toBeGreaterThan(20)
  const seen = new Set(modules.map(({ source }) => source))
  expect(sourceFiles.filter((path) => !seen.has(path))).toEqual([])
  const elsewhere = summary.violations.filter(({ from }) => !(from in planted))
  expect(elsewhere.map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`)).toEqual([])
})

test.for(byName(forbiddenImports))('%s', ([, { files, rules }]) => {
  const found = summary.violations.filter(({ from }) => from in files)
  expect(found.map(({ rule }) => rule.name).toSorted()).toEqual(rules)
})

test.for(byName(lintFaults))('%s', ([, { files, rules }]) => {
  const found = lintFindings.filter(({ filename }) => filename in files)
  expect(found.map(({ code }) => code).toSorted()).toEqual(rules)
})

test('a module that the check cannot see fails it', async () => {
  const unseen = { 'src/seen.ts': 'export const a = 1', 'src/node_modules/unseen.ts': 'export const a = 1' }
  await expect(withCopy([], unseen, cruiseSource)).rejects.toThrow('missed src/node_modules/unseen.ts')
  const none = { 'src/none.txt': '' }
  await expect(withCopy([], none, cruiseSource)).rejects.toThrow('missed all of them')
})

test('the hot units ask for columns by name', () => {
  const imports = new Map(
    modules.map(({ source, dependencies }) => [source, dependencies.map(({ resolved }) => resolved)]),
  )
  const hot = new Set(['src/messages/units.ts'])
  for (const path of hot) for (const imported of imports.get(path) ?? []) hot.add(imported)
  expect([...hot]).toEqual(
    expect.arrayContaining(['src/messages/send/find-replays.ts', 'src/storage/seam/sets.ts']),
  )
  const ofMessages = [...hot].filter((path) => path.startsWith('src/messages/'))
  const textOf = (path: string): string => readFileSync(join(repository, path), 'utf8')
  expect(ofMessages.filter((path) => /\b(select|returning)All\(/.test(textOf(path)))).toEqual([])
})

/** Vitest cuts a long name that is filled in by `$name`, not one by `%s`. */
function byName(faults: readonly Fault[]): (readonly [string, Fault])[] {
  return faults.map((fault) => [fault.name, fault])
}

function filesOf(faults: readonly Fault[]): Files {
  return Object.fromEntries(faults.flatMap(({ files }) => Object.entries(files)))
}

/** What the linter has to say of files of the copy in `root`. */
async function lint(root: string, paths: readonly string[]): Promise<{ code: string; filename: string }[]> {
  const oxlint = join(repository, 'node_modules/.bin/oxlint')
  const run = promisify(execFile)(oxlint, ['--format=json', ...paths], { cwd: root })
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string })
  return (JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] }).diagnostics
}

/** Gives `use` the root of a copy of parts of the repository into which files were planted. */
async function withCopy<T>(
  parts: readonly string[],
  files: Files,
  use: (root: string) => Promise<T>,
): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'onesixty-planted-'))
  try {
    for (const part of parts) cpSync(join(repository, part), join(root, part), { recursive: true })
    symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      // A fault takes no file of the source, which would hide what stands in it.
      writeFileSync(join(root, path), text, { flag: 'wx' })
    }
    return await use(root)
  } finally {
    rmSync(root, { recursive: true })
  }
}
