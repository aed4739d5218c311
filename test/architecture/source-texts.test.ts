import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { redactedPaths } from '../../src/process/log.ts'

const repository = join(import.meta.dirname, '../..')
const sourceFiles = globSync('src/**/*.ts', { cwd: repository })
const sources = await Promise.all(
  sourceFiles.map(async (path) => ({ path, text: await readFile(join(repository, path), 'utf8') })),
)

/** The deliverer waits for its deliveries, and its units are others' functions. */
const notInUnits = 'src/webhooks/deliverer.ts'

test('whoever is handed a transaction waits for all that it has begun, also when a part of it fails', () => {
  const rooms = /^src\/(accounts|alerts|devices|ledger|messages|privacy|webhooks)\//
  const units = sources.filter(
    ({ path, text }) => rooms.test(path) && /\bTx\b/.test(text) && path !== notInUnits,
  )
  expect(units.length).toBeGreaterThan(50)
  expect(units.flatMap(({ path, text }) => (text.includes('Promise.all(') ? [path] : []))).toEqual([])
})

test('no module but program-files.ts asks where it lies: a build puts all modules into one folder, an executable into none', () => {
  const asks = /\bimport\.meta\.(?:url|dirname|filename|resolve)\b|\b__(?:dirname|filename)\b/
  expect(pathsWhere(({ text }) => asks.test(text))).toEqual(['src/process/program-files.ts'])
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

test('no helper of the tests registers hooks as it is loaded: they would hold for the first file of a worker alone', async () => {
  const registers = (text: string): boolean =>
    /\bfrom 'vitest'/.test(text) && /^(?:before|after)(?:All|Each)\(/m.test(text)
  expect(registers("import { afterAll } from 'vitest'\nafterAll(() => stop())")).toBe(true)
  const helpers = globSync('test/**/*.ts', { cwd: repository }).filter((path) => !path.endsWith('.test.ts'))
  expect(helpers.length).toBeGreaterThan(100)
  const texts = await Promise.all(helpers.map((path) => readFile(join(repository, path), 'utf8')))
  // A set-up file is loaded for each.
  expect(helpers.filter((_, i) => registers(texts[i] ?? ''))).toEqual([
    'test/no-leftovers.ts',
    'test/e2e/take-turn.ts',
  ])
})

test('no line of the log is given what the log hides by its name: it would say [redacted] of what may be read', () => {
  const hidden = new RegExp(`(?:^|,)\\s*(?:${redactedPaths.join('|')})\\s*(?:[:,]|$)`)
  const membersOf = (text: string): string[] =>
    [...text.matchAll(/\blog\s*\.\w+\(\s*\{((?:[^{}]|\{[^{}]*\})*)\}/g)].map(([, members = '']) =>
      members.replaceAll(/\{[^{}]*\}/g, ''),
    )
  const hides = (text: string): boolean => membersOf(text).some((members) => hidden.test(members))
  expect(["log.info({ from: 'a' }, 'b')", 'log.warn({ err, token }, c)'].every(hides)).toBe(true)
  expect(hides('log.warn({ asked: of(({ token }) => 1) })')).toBe(false)
  expect(sources.flatMap(({ text }) => membersOf(text)).length).toBeGreaterThan(40)
  expect(pathsWhere(({ text }) => hides(text))).toEqual([])
})

test('a kind of device is named in its own folder and in the registry, and nowhere else', async () => {
  const { connectorKinds } = await import('../../src/connectors/registry.ts')
  /** As a text in quotes, or as a key. */
  const names = (text: string, kinds = connectorKinds): boolean =>
    new RegExp(`(['"\`])(?:${kinds.join('|')})\\1|^\\s*(?:${kinds.join('|')}):`, 'm').test(
      text.replaceAll(/^import .*$/gm, '').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, ''),
    )
  const planted = ["if (kind === 'smpp') go()", '<Way kind="android" />', 'a(`simulator`)', '{\n  smpp: 1 }']
  expect(planted.map((text) => names(text))).toEqual([true, true, true, true])
  expect(["import { a } from './smpp'", '/** smpp: a */', 'smppKind'].map((text) => names(text))).toEqual([
    false,
    false,
    false,
  ])
  const paths = globSync('console/src/**/*.{ts,tsx}', { cwd: repository })
  expect(paths.length).toBeGreaterThan(100)
  const texts = await Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(repository, path), 'utf8') })),
  )
  const outside = [...sources, ...texts].filter(({ path }) => !path.startsWith('src/connectors/'))
  /** There `http` is the scheme of a URL, a service of the program or a word of OpenAPI. */
  const ofHttpItself = new Set([
    'src/process/own-address.ts',
    'src/devices/phones/phone-address.ts',
    'src/cli/server/healthy.ts',
    'src/app/start-order.ts',
    'src/api/reference/openapi-document.ts',
  ])
  const kindsIn = (path: string): readonly string[] =>
    ofHttpItself.has(path) ? connectorKinds.filter((kind) => kind !== 'http') : connectorKinds
  const naming = outside.flatMap(({ path, text }) => (names(text, kindsIn(path)) ? [path] : []))
  // The example of the reference.
  expect(naming).toEqual(['src/api/v1/status.ts'])
  const ofAnother = connectorKinds.flatMap((kind) => {
    const others = connectorKinds.filter((each) => each !== kind)
    const own = sources.filter(({ path }) => path.startsWith(`src/connectors/${kind}/`))
    return own.flatMap(({ path, text }) => (names(text, others) ? [path] : []))
  })
  expect(ofAnother).toEqual([])
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

test('only program-files.ts knows where files of the program lie: a built one has another of it, and no other place', () => {
  const knowsPlaces = (text: string): boolean => /\bimport\.meta\b/.test(text)
  expect(knowsPlaces("new URL('./a.sql', import.meta.url)")).toBe(true)
  expect(pathsWhere(({ text }) => knowsPlaces(text))).toEqual(['src/process/program-files.ts'])
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
