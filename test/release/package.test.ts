import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { buildProgram } from '../../scripts/build-program.ts'
import { bundle } from '../../scripts/release/bundle.ts'
import { writeNotices } from '../../scripts/release/notices.ts'
import { buildNpmPackage } from '../../scripts/release/npm.ts'
import type { BundledPackage } from '../../scripts/release/packages.ts'
import type { Release } from '../../scripts/release/release.ts'
import { writeSbom } from '../../scripts/release/sbom.ts'

let folder: string
let release: Release
let packages: BundledPackage[]
let paths: string[]

/** Builds the package in a folder of its own; what it is made from is as old as now. */
async function build(name: string): Promise<Release> {
  const out = join(folder, name)
  const built = { version: '1.2.3', commit: 'c'.repeat(40), epochS: 1_700_000_000, out, work: join(out, 'work'), program: join(out, 'program') } // prettier-ignore
  await mkdir(out)
  packages = await bundle(built)
  return built
}

const tarball = (of: Release): string => join(of.out, 'onesixty-1.2.3.tgz')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onesixty-release-'))
  release = await build('first')
  await buildNpmPackage(release, writeNotices(packages))
  paths = globSync('**/*', { cwd: join(release.work, 'npm/package'), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(release.work, 'npm/package').length + 1))
  // Builds the console, too, where that was not done.
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Every path that the package may have: code, pages, migrations and texts; no test, setting, key or data. */
const allowed = [
  /^(?:package\.json|LICENSE|CHANGELOG\.md|THIRD-PARTY-NOTICES|bin\/onesixty\.js)$/,
  /^dist\/(?:main|units|sqlite-worker)\.js$/,
  /^dist\/[\w.-]+-[\w-]{8}\.js$/,
  /^dist\/(?:package\.json|reference\.js\.gz)$/,
  /^dist\/console\/dist\/(?:index\.html|assets\/[\w.-]+-[\w-]{8}\.(?:js|css)(?:\.gz)?)$/,
  /^dist\/src\/connectors\/http\/providers\/[\w-]+\.json$/,
  /^dist\/docs\/(?:connectors\/)?[\w-]+\.md$/,
  /^dist\/src\/api\/pages\/assets\/[\w-]+\.(?:css|svg|js)$/,
  /^dist\/src\/storage\/(?:migrations\/\d{4}_\w+|schema\/sqlite)\.sql$/,
]

test('the package contains nothing but the program', () => {
  expect(paths.length).toBeGreaterThan(400)
  expect(paths.filter((path) => !allowed.some((pattern) => pattern.test(path)))).toEqual([])
  const packed = execFileSync('tar', ['--list', '--file', tarball(release)], { encoding: 'utf8' })
  const packedFiles = packed.split('\n').filter((path) => path !== '' && !path.endsWith('/'))
  expect(packedFiles.toSorted()).toEqual(paths.map((path) => `package/${path}`).toSorted())
})

test('every migration is in the package, and the schema that they yield', () => {
  expect(paths).toContain('dist/src/storage/schema/sqlite.sql')
  const names = globSync('*.sql', { cwd: join(import.meta.dirname, '../../src/storage/migrations') })
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !paths.includes(`dist/src/storage/migrations/${name}`))).toEqual([])
})

test('the package needs no other, and runs nothing when it is installed', async () => {
  const text = await readFile(join(release.work, 'npm/package/package.json'), 'utf8')
  const manifest = JSON.parse(text) as object
  expect(manifest).toMatchObject({ dependencies: {}, engines: { node: '>=24.8' }, bin: { onesixty: 'bin/onesixty.js' } }) // prettier-ignore
  expect(Object.keys(manifest).filter((key) => /scripts|[dD]ependencies$/.test(key))).toEqual([
    'dependencies',
  ])
  const outside = paths
    .filter((path) => /^dist\/[^/]+\.js$/.test(path))
    .flatMap((path) => [
      ...textOf(path).matchAll(/^(?:import|export)\b[^'"\n]*?from ?["']([^."'][^"']*)["']/gm),
    ])
    .map(([, name = '']) => name)
  expect(outside.length).toBeGreaterThan(20)
  expect([...new Set(outside)].filter((name) => !isBuiltIn(name))).toEqual([])
})

const textOf = (path: string): string => readFileSync(join(release.work, 'npm/package', path), 'utf8')
const isBuiltIn = (name: string): boolean => process.getBuiltinModule(name) !== undefined

test('notices and bill of materials name the same packages', () => {
  const named = packages.map(({ name, version }) => `${name} ${version}`)
  const notices = textOf('THIRD-PARTY-NOTICES')
  const inNotices = [...notices.matchAll(/^-{80}\n((?:.+\n)+)\n/gm)].flatMap(([, lines = '']) => lines.trim().split('\n')) // prettier-ignore
  const { components } = JSON.parse(writeSbom(release, packages)) as { components: { name: string; version: string }[] } // prettier-ignore
  expect(named).toEqual(expect.arrayContaining(['fastify ', 'react '].map((each) => expect.stringContaining(each)))) // prettier-ignore
  expect(inNotices.toSorted()).toEqual(named.toSorted())
  expect(components.map(({ name, version }) => `${name} ${version}`)).toEqual(named)
})

test('two builds of one commit are equal to the byte, whenever they are made', async () => {
  const second = await build('second')
  await utimes(join(second.program, 'main.js'), 1, 1)
  await buildNpmPackage(second, writeNotices(packages))
  const [one, other] = await Promise.all([release, second].map((each) => readFile(tarball(each))))
  expect(one?.length).toBeGreaterThan(1e6)
  expect(one?.equals(other as Buffer)).toBe(true)
  expect(writeSbom(release, packages)).toBe(writeSbom(second, packages))
})

test('serialport is no part of it: without it a serial port says what is missing, and ports over TCP are opened', async () => {
  expect(packages.filter(({ name }) => name.includes('serialport'))).toEqual([])
  const program = join(folder, 'with-ports')
  await buildProgram(program, { more: { 'modem-settings': 'src/connectors/modem/settings.ts' } })
  const open = (port: string): string => {
    const script = `import { readSettings } from ${JSON.stringify(join(program, 'modem-settings.js'))}
      await readSettings({ port: ${JSON.stringify(port)} }).open({}).catch(({ reason, message }) => console.log(reason, message))`
    return execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder, encoding: 'utf8' }) // prettier-ignore
  }
  const named = `serialport ${packageJson.optionalDependencies.serialport} next to onesixty, or use a port over TCP: `
  expect(open('/dev/null')).toContain(`no_serialport Install the package ${named}`)
  // It is tried: nothing listens there.
  expect(open('tcp://127.0.0.1:1')).toMatch(/^port_failed .*ECONNREFUSED/)
  await symlink(join(import.meta.dirname, '../../node_modules'), join(program, 'node_modules'))
  // It is opened by the binary, and is no terminal.
  expect(open('/dev/null')).toMatch(/^port_failed .*Inappropriate ioctl/)
})

/** Returns the files that a module of the build loads before it runs. */
function loadedBy(path: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(path)) return loaded
  loaded.add(path)
  for (const [, name = ''] of textOf(path).matchAll(/^(?:import|export)\b[^'"\n]*?["']\.\/([^"']+)["']/gm))
    loadedBy(join(dirname(path), name), loaded)
  return loaded
}

test('a command loads what it needs: the version needs no server', () => {
  const loaded = [...loadedBy('dist/main.js')]
  const bytes = loaded.reduce((sum, path) => sum + textOf(path).length, 0)
  expect(loaded.length).toBeGreaterThan(2)
  // 0.95 MB of 8 in November 2026: the command line, the settings, the numbering plan and the builder of statements.
  expect(bytes).toBeLessThan(1_100_000)
  expect(loaded.filter((path) => /fastify|better-auth|node_modules\/pg\//.test(textOf(path)))).toEqual([])
})

// V8 keeps sources at one byte a character, or at two; an import of node:http reads its members, of which WebSocket loads undici.
test('no module of the build costs memory for characters that are wide, or for a client that a server does not use', () => {
  const modules = paths.filter((path) => /^dist\/[^/]+\.js$/.test(path))
  expect(modules.length).toBeGreaterThan(50)
  expect(modules.filter((path) => /[^\0-\x7F]/.test(textOf(path)))).toEqual([])
  expect(modules.filter((path) => /\bfrom ?["'](?:node:)?http["']/.test(textOf(path)))).toEqual([])
})

test('a class exists once in the build, so that instanceof is right on both sides of a chunk', () => {
  const defining = paths.filter(
    (path) =>
      /^dist\/[^/]+\.js$/.test(path) && /(?:class StorageError|StorageError = class)\b/.test(textOf(path)),
  )
  expect(defining).toHaveLength(1)
})

test('no text of the program tells anyone to run npx, which would fetch a package of that name from the registry', () => {
  const naming = paths.filter((path) => /\.(?:js|html)$/.test(path) && /\bnpx onesixty\b/.test(textOf(path)))
  expect(naming).toEqual([])
})

test('a Node.js that is too old is named in one sentence', async () => {
  const older = join(folder, 'older.mjs')
  await writeFile(
    older,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })",
  )
  const launcher = join(release.work, 'npm/package/bin/onesixty.js')
  const run = () =>
    execFileSync(process.execPath, ['--import', older, launcher, 'version'], { stdio: 'pipe' })
  expect(run).toThrow(
    expect.objectContaining({
      status: 78,
      stderr: Buffer.from('onesixty: onesixty needs Node.js 24.8 or newer; this is 20.20.2.\n'),
    }),
  )
})
