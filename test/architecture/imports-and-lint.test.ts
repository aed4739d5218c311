import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { cruiseSource } from '../../scripts/layers.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const sourceFiles = globSync('src/**/*.ts', { cwd: repository })
const sources = await Promise.all(
  sourceFiles.map(async (path) => ({ path, text: await readFile(join(repository, path), 'utf8') })),
)

test('every module was seen, and imports go one way', async () => {
  const { modules, summary } = await cruiseSource()
  expect(modules.length).toBeGreaterThanOrEqual(sourceFiles.length)
  expect(sourceFiles.length).toBeGreaterThan(20)
  expect(summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`)).toEqual([])
})

/** The deliverer waits for its deliveries, and its units are others' functions. */
const notInUnits = 'src/webhooks/deliverer.ts'

test('whoever is handed a transaction waits for all that it has begun, also when a part of it fails', () => {
  const rooms = /^src\/(accounts|alerts|devices|ledger|messages|webhooks)\//
  const units = sources.filter(
    ({ path, text }) => rooms.test(path) && /\bTx\b/.test(text) && path !== notInUnits,
  )
  expect(units.length).toBeGreaterThan(50)
  expect(units.flatMap(({ path, text }) => (text.includes('Promise.all(') ? [path] : []))).toEqual([])
})

test('a folder without a layer is caught', async () => {
  expect(await layersBrokenBy({ 'src/utils/x.ts': 'export const x = 1' })).toContain(
    'every-module-has-a-layer src/utils/x.ts',
  )
})

test('an upward import is caught, of types too', async () => {
  const broken = await layersBrokenBy({
    'src/api/planted.ts': 'export interface Planted { a: string }',
    'src/storage/planted.ts':
      "import type { Planted } from '../api/planted.ts'\nexport const a = (p: Planted) => p.a",
  })
  expect(broken).toContain('storage-imports-only-downward src/storage/planted.ts')
})

test('an import of a neighbour is caught', async () => {
  const broken = await layersBrokenBy({
    'src/ledger/planted.ts': 'export const a = 1',
    'src/devices/planted.ts': "export { a } from '../ledger/planted.ts'",
  })
  expect(broken).toContain('devices-imports-only-downward src/devices/planted.ts')
})

test('a cycle is caught', async () => {
  const broken = await layersBrokenBy({
    'src/ledger/planted.ts': "import { b } from './planted-too.ts'\nexport const a = () => b()",
    'src/ledger/planted-too.ts': "import { a } from './planted.ts'\nexport const b = (): unknown => a()",
  })
  expect(broken.join('\n')).toContain('no-cycles src/ledger/planted')
})

test('a connector that looks beyond its seam is caught', async () => {
  const broken = await layersBrokenBy({
    'src/connectors/planted/planted.ts':
      "import { Writer } from '../../storage/writer.ts'\nexport const a = Writer",
  })
  expect(broken).toContain('a-connector-sees-only-the-seam-and-primitives src/connectors/planted/planted.ts')
})

test('a connector kind named outside of the registry is caught', async () => {
  const broken = await layersBrokenBy({
    'src/connectors/planted/planted.ts': 'export const a = 1',
    'src/dispatch/planted.ts': "export const a = () => import('../connectors/planted/planted.ts')",
  })
  expect(broken).toContain('only-the-registry-names-connector-kinds src/dispatch/planted.ts')
})

test('a SQL driver outside of the storage is caught', async () => {
  const broken = await layersBrokenBy({
    'src/ledger/planted.ts': "import { DatabaseSync } from 'node:sqlite'\nexport const a = DatabaseSync",
  })
  expect(broken).toContain('sql-drivers-stay-in-storage src/ledger/planted.ts')
})

test('Fastify below the edge is caught', async () => {
  const broken = await layersBrokenBy({
    'src/messages/planted.ts': "import { fastify } from 'fastify'\nexport const a = fastify",
  })
  expect(broken).toContain('fastify-stays-at-the-edge src/messages/planted.ts')
})

test('a module that the check cannot see fails it', async () => {
  const inCopy = withPlanted({ 'src/planted.ts': 'export const a = 1' }, async (root) => {
    await rm(join(root, 'src'), { recursive: true })
    await mkdir(join(root, 'src'))
    return cruiseSource(root)
  })
  await expect(inCopy).rejects.toThrow('missed')
})

test('a statement that nobody awaits is caught', async () => {
  const planted = 'src/storage/planted.ts'
  const found = await lintFindings(planted, [
    "import type { Tx } from './dialect.ts'",
    "export async function forget(tx: Tx): Promise<void> { tx.deleteFrom('opt_outs').execute() }",
  ])
  expect(found).toContain('typescript(no-floating-promises)')
})

test('a switch that forgets a case is caught', async () => {
  const found = await lintFindings('src/planted.ts', [
    "export function f(a: 'x' | 'y'): number { switch (a) { case 'x': return 1 }\nreturn 2 }",
  ])
  expect(found).toContain('typescript(switch-exhaustiveness-check)')
})

test('a dialect outside of the storage is caught', async () => {
  const found = await lintFindings('src/ledger/planted.ts', [
    "import { SqliteDialect } from 'kysely'",
    'export const a = SqliteDialect',
  ])
  expect(found).toContain('eslint(no-restricted-imports)')
})

test('a file of more than 300 lines and a function of more than 60 are caught', async () => {
  const found = await lintFindings('src/planted.ts', [
    'export function f(): void {',
    ...Array<string>(300).fill(''),
    '}',
  ])
  expect(found).toContain('eslint(max-lines)')
  expect(found).toContain('eslint(max-lines-per-function)')
})

test('no source file is longer than 300 lines', () => {
  expect([300, 301].map((lines) => isTooLong('x\n'.repeat(lines)))).toEqual([false, true])
  expect(pathsWhere(({ text }) => isTooLong(text))).toEqual([])
})

test('no file of the tests, the scripts and the benchmarks is longer than 300 lines', async () => {
  const paths = globSync('{test,scripts,bench}/**/*.ts', { cwd: repository })
  for (const folder of ['test', 'scripts', 'bench'])
    expect(paths.filter((path) => path.startsWith(`${folder}/`)).length, folder).toBeGreaterThan(10)
  const texts = await Promise.all(paths.map((path) => readFile(join(repository, path), 'utf8')))
  expect(paths.filter((_, i) => isTooLong(texts[i] ?? ''))).toEqual([])
})

test('nothing is exported as default', () => {
  const exportsDefault = (text: string): boolean => /^export (default\b|\{[^}]*\bas default\b)/m.test(text)
  expect(exportsDefault('const a = 1\nexport { a as default }')).toBe(true)
  expect(pathsWhere(({ text }) => exportsDefault(text))).toEqual([])
})

test('nothing reads the environment of the process by itself: the program is handed one', () => {
  const readsEnvironment = (text: string): boolean =>
    /\bprocess\s*\??\.?\s*(\.\s*env\b|\[)|\benv\b.*'(node:)?process'/.test(text)
  expect(
    ["process.env['A']", "process['env']", "import { env } from 'node:process'"].every(readsEnvironment),
  ).toBe(true)
  expect(pathsWhere(({ text }) => readsEnvironment(text))).toEqual([])
})

test('no statement that PostgreSQL prepares asks for every column', () => {
  const starred = (text: string): string[] =>
    constantTexts(text).filter((sql) => /\bselect\s+(distinct\s+)?\*|\b\w+\.\*|returning\s+\*/i.test(sql))
  expect(starred("const a = { sql: 'select * from sends', inputs: [] }")).toHaveLength(1)
  expect(starred('const a = {\n  sql: `select m.* from messages m\n where m.id = :id` }')).toHaveLength(1)
  expect(starred("const a = { sql: 'select count(*) as count, 2 * 3 from sends' }")).toEqual([])
  expect(sources.flatMap(({ text }) => constantTexts(text)).length).toBeGreaterThan(20)
  expect(pathsWhere(({ text }) => starred(text).length > 0)).toEqual([])
})

test('the hot units ask for columns by name', async () => {
  const { modules } = await cruiseSource()
  const imports = new Map(
    modules.map(({ source, dependencies }) => [source, dependencies.map(({ resolved }) => resolved)]),
  )
  const hot = new Set(['src/messages/units.ts'])
  for (const path of hot) for (const imported of imports.get(path) ?? []) hot.add(imported)
  expect([...hot]).toEqual(expect.arrayContaining(['src/messages/find-replays.ts', 'src/storage/sets.ts']))
  expect(
    pathsWhere(
      ({ path, text }) =>
        hot.has(path) && path.startsWith('src/messages/') && /\b(select|returning)All\(/.test(text),
    ),
  ).toEqual([])
})

test('there are no barrels and no drawers', () => {
  const isDrawer = (path: string): boolean =>
    /(^|\/)(utils?|helpers?|common|lib|shared|misc)(\/|\.ts$)|(^|\/)(index|types|interfaces)\.ts$/.test(path)
  expect(
    ['src/utils/x.ts', 'src/helpers.ts', 'src/api/index.ts', 'src/ledger/types.ts'].every(isDrawer),
  ).toBe(true)
  expect(sourceFiles.filter(isDrawer)).toEqual([])
})

const isTooLong = (text: string): boolean => text.trimEnd().split('\n').length > 300

/** The texts of statements that run on sets (`selectEach`), which are prepared once for each connection. */
const constantTexts = (text: string): string[] =>
  [...text.matchAll(/\bsql:\s*(`[^`]*`|'[^']*')/g)].map(([, sql = '']) => sql)

const pathsWhere = (holds: (source: { path: string; text: string }) => boolean): string[] =>
  sources.filter(holds).map(({ path }) => path)

/** The rules broken by modules planted into a copy of the source, each as `rule file`. */
async function layersBrokenBy(planted: Record<string, string>): Promise<string[]> {
  const { summary } = await withPlanted(planted, (root) => cruiseSource(root))
  return summary.violations.map(({ from, rule }) => `${rule.name} ${from}`)
}

/** The names of the lint rules that one planted file breaks. */
async function lintFindings(path: string, lines: readonly string[]): Promise<string[]> {
  return withPlanted({ [path]: `${lines.join('\n')}\n` }, async (root) => {
    const oxlint = join(repository, 'node_modules/.bin/oxlint')
    const run = promisify(execFile)(oxlint, ['--format=json', path], { cwd: root })
    const stdout = await run.then(
      () => expect.fail('the linter found nothing'),
      (error: unknown) => (error as { stdout: string }).stdout,
    )
    return (JSON.parse(stdout) as { diagnostics: { code: string }[] }).diagnostics.map(({ code }) => code)
  })
}

/** Gives `use` the root of a copy of the repository into which files were planted. */
async function withPlanted<T>(
  planted: Record<string, string>,
  use: (root: string) => Promise<T>,
): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), 'onesixty-planted-'))
  try {
    for (const name of ['src', 'package.json', 'tsconfig.json', '.oxlintrc.json']) {
      await cp(join(repository, name), join(root, name), { recursive: true })
    }
    await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
    for (const [path, text] of Object.entries(planted)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    return await use(root)
  } finally {
    await rm(root, { recursive: true })
  }
}
