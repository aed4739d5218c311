import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { settings } from '../../src/settings/settings.ts'
import { type DockerStage, readDockerfile } from '../deployment-file.ts'

// CI builds no image and starts no unit: what stands in the files of deployment is held against the repository here.

const repository = join(import.meta.dirname, '../..')
const readText = (path: string): string => readFileSync(join(repository, path), 'utf8')
const stages = readDockerfile(readText('Dockerfile'))
const imageStage = stages.at(-1) as DockerStage
const startArguments = packageJson.scripts.start.split(' ')

test('the image starts what npm start starts', () => {
  expect(startArguments.at(-1)).toBe('serve')
  expect(imageStage.cmd).toEqual(startArguments)
  expect(existsSync(join(repository, startArguments.at(-2) ?? ''))).toBe(true)
})

test('every stage of the image is of the Node.js that the repository is tested with', () => {
  const bases = stages.map(({ from }) => from).filter((from) => !stages.some(({ name }) => name === from))
  expect(bases.length).toBe(2)
  expect(bases.filter((from) => !from.startsWith(`node:${packageJson.devDependencies.node}-`))).toEqual([])
})

test('every path that the image copies is there, and .dockerignore lets it through', () => {
  const isLetIn = dockerIgnore(readText('.dockerignore'))
  expect(['bin/onesixty.js', 'src/main.ts'].every(isLetIn)).toBe(true)
  expect([
    isLetIn('.git/HEAD'),
    isLetIn('data/secret'),
    isLetIn('.env'),
    isLetIn('scripts/check.ts'),
  ]).toEqual([false, false, false, false])
  expect([isLetIn('console/node_modules/x.js'), isLetIn('console/dist/index.html')]).toEqual([false, false])
  const copied = stages.flatMap(({ copies }) => copies).filter(({ stage }) => stage === null)
  expect(copied.length).toBeGreaterThan(5)
  const missing = copied
    .flatMap(({ sources }) => sources)
    .filter((path) => filesBelow(path).filter((file) => isLetIn(file)).length === 0)
  expect(missing).toEqual([])
})

test('what a stage takes from another one is made there', () => {
  const taken = stages.flatMap(({ copies }) => copies).filter(({ stage }) => stage !== null)
  expect(taken.map(({ stage }) => stage)).toEqual(['dependencies', 'console'])
  for (const { stage, sources } of taken) {
    const from = stages.find(({ name }) => name === stage) as DockerStage
    const workdir = from.workdir ?? stages.find(({ name }) => name === from.from)?.workdir
    expect(sources.every((path) => path.startsWith(`${workdir}/`))).toBe(true)
  }
})

test('the program finds beside it in the image whatever it reads there', () => {
  const inImage = imageStage.copies.flatMap(({ target, sources }) =>
    sources.map((path) => (target === './' ? path : target)),
  )
  const read = globSync('src/**/*.ts', { cwd: repository }).flatMap((file) =>
    [...readText(file).matchAll(/(?:readProgramFile|listProgramFiles)\(['`]([^'`$]+)/g)].map(
      ([, path = '']) => normalize(path),
    ),
  )
  expect(read).toContain('package.json')
  const absent = read.filter(
    (path) => !inImage.some((copied) => path === copied || path.startsWith(`${copied}/`)),
  )
  expect(absent).toEqual([])
})

test('an installation without development tools brings every package that the program imports', () => {
  const imported = new Set(
    globSync('src/**/*.ts', { cwd: repository }).flatMap((file) => importedPackages(readText(file))),
  )
  expect(imported).toContain('fastify')
  expect(imported).toContain('better-auth')
  const installed = { ...packageJson.dependencies, ...packageJson.optionalDependencies }
  expect([...imported].filter((name) => !(name in installed))).toEqual([])
})

test('nothing that is left out of the image without its scripts needs one', () => {
  const { packages } = JSON.parse(readText('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean; dev?: boolean }>
  }
  const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true)
  expect(withScript.length).toBeGreaterThan(0)
  // Its script compiles where it brings no binary: for the platforms of the image it brings them, with either C library.
  const prebuilt = 'node_modules/@serialport/bindings-cpp'
  expect(withScript.filter(([, { dev }]) => dev !== true).map(([path]) => path)).toEqual([prebuilt])
  const brought = globSync(`${prebuilt}/prebuilds/linux-{x64,arm64}/*.node`, { cwd: repository }).join(' ')
  for (const platform of ['linux-x64', 'linux-arm64'])
    for (const library of ['glibc', 'musl'])
      expect(brought).toMatch(new RegExp(`${platform}/\\S+\\.${library}\\.node`))
  // The one that the build of the console takes with it is of its tools, and none of those has a script either.
  expect(withScript.map(([path]) => path).filter((path) => /vite|rolldown|postcss/.test(path))).toEqual([])
})

test('the image runs as nobody in particular, and keeps its data outside', () => {
  expect(imageStage.user).toBe('node')
  expect(imageStage.volumes).toEqual([imageStage.env['ONESIXTY_DATA']])
  expect(imageStage.text).toContain(`install -d -o node -g node -m 700 ${imageStage.env['ONESIXTY_DATA']}`)
  expect(imageStage.expose).toBe(String(settings.port.default))
})

/** Which files of the repository .dockerignore lets through: the last line that fits decides. */
function dockerIgnore(text: string): (path: string) => boolean {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const rules = lines.map((line) => ({ isIn: line.startsWith('!'), fits: patternOf(line.replace('!', '')) }))
  return (path) => rules.findLast(({ fits }) => fits.test(path))?.isIn ?? true
}

/** `*` is any name, `**` any folders; what lies below a folder that fits does too. */
function patternOf(pattern: string): RegExp {
  const parts: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '*': '[^/]*', '.': '\\.' }
  const source = pattern.replaceAll(/\*\*\/|\*|\./g, (part) => parts[part] ?? '')
  return new RegExp(`^${source}(?:/.*)?$`)
}

/** A file, or all that lie below a folder, as the repository has them. */
const filesBelow = (path: string): string[] => {
  if (!existsSync(join(repository, path))) return []
  if (!statSync(join(repository, path)).isDirectory()) return [path]
  return globSync(`${path.replace(/\/$/, '')}/{src/**,*}`, { cwd: repository, exclude: ['**/node_modules'] })
}

/** The packages of npm that a module imports when it runs: types leave nothing behind. */
const importedPackages = (source: string): string[] =>
  [
    ...source.matchAll(
      /^(?:import|export) (?!type )[^;]*?from '([^']+)'|import\('([^']+)'\)|^import '([^']+)'/gms,
    ),
  ]
    .map(([, from, lazy, bare]) => from ?? lazy ?? bare ?? '')
    .filter((name) => !name.startsWith('.') && !name.startsWith('node:') && !builtinModules.includes(name))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    )
