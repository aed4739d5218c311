import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const repository = fileURLToPath(new URL('..', import.meta.url))
const readText = (path: string): string => readFileSync(join(repository, path), 'utf8')
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: repository })
const decisions = globSync('docs/decisions/[0-9]*.md', { cwd: repository }).toSorted()
const linesOf = (path: string): number => readText(path).trimEnd().split('\n').length

test('every link between the documents leads somewhere', () => {
  expect(pages.length).toBeGreaterThan(5)
  expect(
    brokenLinks(
      'CONTRIBUTING.md',
      '[a](no-such-page.md) [b](AGENTS.md#no-such-heading) [c](AGENTS.md#rules)',
    ),
  ).toHaveLength(2)
  expect(pages.flatMap((page) => brokenLinks(page, readText(page)))).toEqual([])
})

test('every file that the documents name exists', () => {
  expect(namedFiles('see `src/no-such-file.ts`, `src/<kind>/` and `docs/NNNN-title.md`')).toEqual([
    'src/no-such-file.ts',
  ])
  const missing = pages.flatMap((page) =>
    namedFiles(readText(page))
      .filter((path) => globSync(path, { cwd: repository }).length === 0)
      .map((path) => `${page} names ${path}`),
  )
  expect(missing).toEqual([])
})

test('no document relies on pages that nobody has: what was asked for, planned or designed elsewhere', () => {
  const elsewhere =
    /\bthe (?:design|plan) (?:asks|says|named|was|lists|is silent|of the)\b|\bissue \d|\bengineers?\b/i
  expect('The design asks for lanes').toMatch(elsewhere)
  expect(pages.filter((page) => elsewhere.test(readText(page)))).toEqual([])
})

test('no command of the documents needs the Node of the machine, which may be too old', () => {
  const commands = pages.flatMap((page) => typedCommands(readText(page)))
  expect(commands.length).toBeGreaterThan(10)
  expect(typedCommands('```\nnode x.ts\n```\nnode y.ts\n```sh\nnpm test\n```')).toEqual([
    'node x.ts',
    'npm test',
  ])
  expect(
    [...commands, readText('.env.example')].filter((text) => /^node |from a file: node /im.test(text)),
  ).toEqual([])
})

test('every filter of the examples finds a test file', () => {
  const examples = [...pages.map(readText), readText('scripts/check.ts')].join('\n')
  const filters = [...examples.matchAll(/(?:npm test --|vitest run) ([a-z][\w/-]*)/g)].map(
    ([, filter = '']) => filter,
  )
  expect(filters.length).toBeGreaterThan(2)
  expect(
    filters.filter((filter) => globSync(`test/**/*${filter}*.test.ts`, { cwd: repository }).length === 0),
  ).toEqual([])
})

test('every script is run by npm, or CONTRIBUTING says what it is for', () => {
  const ran = readText('package.json') + readText('scripts/check.ts')
  const scripts = globSync('scripts/*.ts', { cwd: repository })
  expect(scripts.length).toBeGreaterThan(3)
  expect(
    scripts.filter((path) => !ran.includes(path) && !readText('CONTRIBUTING.md').includes(path)),
  ).toEqual([])
})

test('every document that the code names exists', () => {
  expect(namedPages('// see no-such-page.md and docs/decisions/0001-the-stack.md')).toEqual([
    'no-such-page.md',
  ])
  const code = globSync(
    ['{src,scripts,bench}/**/*.{ts,sql}', 'test/{*,*/**/*}.ts', 'Dockerfile', 'compose.yaml', 'deploy/**/*'],
    { cwd: repository },
  )
  const missing = code
    .filter((path) => path !== 'test/documents.test.ts' && statSync(join(repository, path)).isFile())
    .flatMap((path) => namedPages(readText(path)).map((page) => `${path} names ${page}`))
  expect(missing).toEqual([])
})

test('no line of prose is wider than 160 characters; tables, fences and what is written by the bench are', () => {
  const wide = 'x'.repeat(161)
  expect(wideProse(`${wide}\n| ${wide}\n\`\`\`\n${wide}\n\`\`\``)).toEqual([wide])
  const written = pages.filter((page) => page !== 'docs/benchmarks.md')
  expect(written.flatMap((page) => wideProse(readText(page)).map((line) => `${page}: ${line}`))).toEqual([])
})

test('decisions are numbered without gaps and have at most 60 lines', () => {
  expect(decisions.map((path) => Number(/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1]))).toEqual(
    decisions.map((_, i) => i + 1),
  )
  expect(decisions.filter((path) => linesOf(path) > 60)).toEqual([])
})

test('the rules of the house have at most 120 lines', () => {
  expect(linesOf('AGENTS.md')).toBeLessThanOrEqual(120)
})

test('every run-time dependency has its reason, and there are at most 20', () => {
  const { dependencies: needed, optionalDependencies: optional } = JSON.parse(
    readText('package.json'),
  ) as Record<string, object>
  const dependencies = Object.keys({ ...needed, ...optional })
  const table = readText('docs/decisions/0001-the-stack.md').matchAll(/^\| (\S+) \| \S.*\|$/gm)
  const reasons = [...table].map(([, name]) => name).filter((name) => name !== 'package' && name !== '---')
  expect(new Set(reasons)).toEqual(new Set(dependencies))
  expect(dependencies.length).toBeLessThanOrEqual(20)
})

/** The lines of its blocks of code. */
const typedCommands = (text: string): string[] =>
  [...text.matchAll(/^```\w*\n(.*?)^```/gms)].flatMap(([, block = '']) => block.trimEnd().split('\n'))

/** The links of a page to files and headings of this repository that do not exist. */
function brokenLinks(page: string, text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '')
  return links
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = '', heading] = target.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(repository, file))) return true
      return heading !== undefined && !headingsOf(readText(file)).includes(heading)
    })
    .map((target) => `${page} → ${target}`)
}

/** The anchors of a page's headings, as GitHub makes them. */
const headingsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

/** The Markdown pages named in a text that do not exist. */
const namedPages = (text: string): string[] =>
  [...text.matchAll(/[\w./-]+\.md\b/g)]
    .map(([page]) => page.replace(/^[./]+/, ''))
    .filter((page) => !existsSync(join(repository, page)))

/** Paths in code spans that begin with a folder of ours and hold no placeholder. */
const namedFiles = (text: string): string[] =>
  [...text.matchAll(/`((?:src|test|scripts|bench|docs|deploy|\.ci)\/[\w./*-]*)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => !path.includes('NNNN'))

const wideProse = (text: string): string[] =>
  text
    .replaceAll(/^```[^]*?^```/gm, '')
    .split('\n')
    .filter((line) => line.length > 160 && !/^\s*(?:\||<!--)/.test(line))
