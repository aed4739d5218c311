import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { guideStepNames, guideWays, headingOf } from '../../src/devices/phones/guide-words.ts'
import { factsOf } from '../../src/connectors/registry.ts'
import { guidePath, guides } from '../../src/process/guides.ts'
import { stateOwnCommand } from '../../src/process/own-command.ts'
import { problems } from '../../src/runtime/errors.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

const repository = join(import.meta.dirname, '../..')
let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

type Page = Awaited<ReturnType<TestApi['request']>>
const kept = new Map<string, Promise<Page>>()

/** Each page is read once: following all links reads the reference a hundred times otherwise. */
function get(path: string): Promise<Page> {
  const known = kept.get(path) ?? api.request('GET', path, { key: null })
  kept.set(path, known)
  return known
}
const textOf = async (path: string): Promise<string> => (await get(path)).text
const names = Object.keys(guides) as (keyof typeof guides)[]

/** What the pages say, as text. */
const plain = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** The links of a page that stay on this server, and its anchors. */
const linksOf = (html: string): string[] =>
  [...html.matchAll(/(?:href|src)="([/#][^"]*)"/g)].map(([, link = '']) => link)
const anchorsOf = (html: string): string[] => [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id)

/** Links of which the page or the anchor is missing, as `from → to`. */
async function brokenLinks(from: string, links: readonly string[]): Promise<string[]> {
  const broken: string[] = []
  for (const link of new Set(links)) {
    const [path = '', anchor] = link.split('#')
    const page = await get(path === '' ? from : path)
    const isThere = page.status === 200 && (anchor === undefined || anchorsOf(page.text).includes(anchor))
    if (!isThere) broken.push(`${from} → ${link}`)
  }
  return broken
}

test('every guide is served, in the look and under the policy of the problem pages', async () => {
  const { headers } = await get('/docs/problems')
  for (const name of names) {
    const page = await get(guidePath(name))
    expect(page.status, name).toBe(200)
    for (const header of ['content-type', 'content-security-policy', 'referrer-policy'])
      expect(page.headers.get(header)).toBe(headers.get(header))
    expect(page.text.match(/<h1>/g)).toHaveLength(1)
    expect(page.text).not.toMatch(/<script|<style|\sstyle=|<img|\son[a-z]+=/)
    expect(page.text).toContain('<link rel="stylesheet" href="/docs/assets/style.css"')
    const ids = anchorsOf(page.text)
    expect(new Set(ids).size, `anchors of ${name}`).toBe(ids.length)
  }
  const twin = await get('/docs/guides/')
  expect([twin.status, twin.headers.get('location')]).toEqual([308, '/docs/guides'])
  expect((await get('/docs/guides/nonsense')).status).toBe(404)
})

test('a guide says all that its document says', async () => {
  for (const name of names) {
    const shown = plain(await textOf(guidePath(name))).replaceAll(/\s+/g, ' ')
    const document = readFileSync(join(repository, guides[name].file), 'utf8')
    const words = document
      .replaceAll(/<!--[^]*?-->/g, '')
      .split(/[^\p{L}\p{N}_+.]+/u)
      .filter((word) => word.length > 3 && !/\.md$|^[\d.]+$|^https?$/.test(word))
    const missing = [...new Set(words)].filter((word) => !shown.includes(word.replace(/\.$/, '')))
    // What only the addresses of links have.
    const inLinks = [...document.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target).join(' ')
    expect(missing.filter((word) => !inLinks.includes(word)), name).toEqual([])
  }
}) // prettier-ignore

test('every link and every anchor of the documentation leads somewhere', async () => {
  const pages = ['/', '/docs', '/docs/guides', '/docs/problems', ...names.map((name) => guidePath(name))]
  for (const code of Object.keys(problems)) pages.push(`/docs/problems/${code}`)
  expect(await brokenLinks('/docs/guides/android', ['#no-such-heading', '/docs/guides/none', '#https'])).toHaveLength(2)
  const broken = await Promise.all(pages.map(async (page) => brokenLinks(page, linksOf(await textOf(page)))))
  expect(broken.flat()).toEqual([])
  const relative = await Promise.all(pages.map(async (page) => (await textOf(page)).match(/(?:href|src)="(?![/#]|https:)[^"]*"/g) ?? []))
  expect(relative.flat()).toEqual([])
  expect(linksOf(await textOf('/docs/guides/receiving')).some((link) => link.includes('#'))).toBe(true)
}) // prettier-ignore

test('every guide that the program, the console and the reference name is there, with its heading', async () => {
  const paths = globSync(['src/**/*.ts', 'console/src/**/*.{ts,tsx}'], { cwd: repository })
  const texts = paths.map((path) => readFileSync(join(repository, path), 'utf8')).join('\n')
  const called = [...texts.matchAll(/guidePath\('([\w-]+)'(?:, '([\w-]+)')?\)/g)].map(
    ([, name = '', heading]) => guidePath(name as keyof typeof guides, heading),
  )
  const written = [...texts.matchAll(/\/docs\/(?:guides|problems)(?:\/[\w-]+)?(?:#[\w-]+)?(?=["')\]])/g)].map(
    ([path]) => path,
  )
  const ways = guideWays.map(({ way }) => way)
  const steps = guideStepNames.flatMap((step) => ways.map((way) => headingOf(step, way) ?? 'connect'))
  called.push(...steps.map((heading) => guidePath('phones', heading)))
  const kinds = ['android', 'smpp', 'modem', 'simulator'].map((kind) => factsOf(kind)?.guide ?? '')
  expect(kinds.every((path) => path.startsWith('/docs/guides/'))).toBe(true)
  const links = [...called, ...written, ...kinds].filter((path) => path !== '/docs/guides/')
  expect(links.length).toBeGreaterThan(8)
  expect(await brokenLinks('the source', links)).toEqual([])
})

test('the guides are listed by the reference, the problems and the start page', async () => {
  for (const page of ['/docs', '/docs/problems', '/docs/guides'])
    for (const name of names) expect(await textOf(page), page).toContain(`href="${guidePath(name)}"`)
  expect(await textOf('/')).toContain('href="/docs/guides"')
  expect((await get('/openapi.json')).text).toContain('[Guides](/docs/guides)')
  expect(await textOf('/docs/problems/no_sender_available')).toContain('href="/docs/guides/android"')
})

test('pages have commands as they are typed on this machine, without its folders', async () => {
  onTestFinished(() => stateOwnCommand({ full: 'onesixty', withoutFolder: 'onesixty' }))
  stateOwnCommand({ full: '/opt/sms/onesixty', withoutFolder: './onesixty' })
  const own = await startTestApi()
  onTestFinished(() => own.close())
  for (const [path, command] of [
    ['/', './onesixty key create'],
    ['/docs/guides/android', './onesixty device connect android --account'],
    ['/docs/guides/operating', './onesixty account erase --account'],
    ['/docs/problems/link_not_valid', './onesixty user reset-link'],
  ] as const) {
    const shown = plain((await own.request('GET', path, { key: null })).text)
    expect(shown, path).toContain(command)
    expect(shown).not.toContain('/opt/sms/onesixty')
  }
})

test('every command of a problem page exists, with its options', async () => {
  for (const code of Object.keys(problems)) {
    const page = plain(await textOf(`/docs/problems/${code}`))
    const [, line] = /On the server: onesixty (.+)/.exec(page) ?? []
    if (line === undefined) continue
    const words = line.split(' ')
    const nouns = words.slice(0, words.findIndex((word) => word.startsWith('--') || /_/.test(word)))
    const path = nouns.length === 0 ? words : nouns
    let help = ''
    const stream = { write: (text: string) => void (help += text) }
    const io = { stdout: stream, stderr: stream, stdin: (async function* () {})(), env: {} }
    expect(await runCommandLine([...path, '--help'], io), line).toBe(0)
    for (const option of words.filter((word) => word.startsWith('--'))) expect(help).toContain(option)
  }
}) // prettier-ignore

test('the guide to the simulator has all eleven test numbers', async () => {
  const shown = plain(await textOf('/docs/guides/simulator'))
  for (let i = 1; i <= 11; i++) expect(shown).toContain(`+150055500${String(i).padStart(2, '0')}`)
})

test('the guide to the doctor has every check', async () => {
  const sources = globSync('src/cli/doctor/*.ts', { cwd: repository }).map((path) => readFileSync(join(repository, path), 'utf8'))
  const declared = sources.flatMap((text) =>
    [...text.matchAll(/(?:runCheck\(|fine\(|wrong\(|name: |const name = )\s*'([a-z_]+)'/g)].map(([, name = '']) => name),
  )
  expect(declared.length).toBeGreaterThan(15)
  const shown = readFileSync(join(repository, 'docs/doctor.md'), 'utf8')
  const listed = [...shown.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name)
  expect([...new Set(declared)].filter((name) => !listed.includes(name))).toEqual([])
  expect(listed.length).toBeGreaterThan(30)
}) // prettier-ignore
