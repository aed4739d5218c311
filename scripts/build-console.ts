import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Builds the console when what it is made of has changed since the last build, as told by a hash of its sources beside the result.
 * `npm start` and the tests run it; it takes 0.1 s when there is nothing to do.
 */
const root = join(import.meta.dirname, '..')
const dist = join(root, 'console/dist')
const stamp = join(dist, '.sources')
/** What the console is made of. It counts parts with the server's own code. */
export const sources = [
  'console/{src,public}/**/*',
  'console/*.{html,ts,json,cjs}',
  'src/sms/{sms-text,gsm7,national-languages,ucs2,smart-encoding}.ts',
  'src/settings/off-words.ts',
  'src/devices/phones/{connect-guide,guide-back,guide-words}.ts',
  'package-lock.json',
]

async function hashSources(): Promise<string> {
  const hash = createHash('sha256')
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: root, withFileTypes: true }))
  const names = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
  for (const name of names.toSorted()) hash.update(name.slice(root.length)).update(await readFile(name))
  return hash.digest('hex')
}

/** Builds when it is needed. Vitest calls it before the tests in a browser. */
export async function setup(): Promise<void> {
  const wanted = await hashSources()
  const built = await readFile(stamp, 'utf8').catch(() => '')
  if (built === wanted) return
  // Not among what a caller reads as JSON.
  console.error('Building the console …')
  const { build } = await import('vite')
  const environment = process.env['NODE_ENV']
  // Under Vitest it says `test`, and React would be built as for development.
  process.env['NODE_ENV'] = 'production'
  await build({ root: join(root, 'console'), logLevel: 'warn' })
  if (environment === undefined) delete process.env['NODE_ENV']
  else process.env['NODE_ENV'] = environment
  await writeFile(stamp, wanted)
}

/** What a browser loads before it shows a page: the entry, the frame and the page, what they import, and their styles. */
const maxFirstLoadBytes = 200 * 1024

interface Chunk {
  file: string
  isEntry?: boolean
  imports?: string[]
  css?: string[]
}

/** Bytes of the first load as they travel, compressed; throws when there are more than a first load may have. */
async function checkSize(): Promise<void> {
  const manifest = JSON.parse(await readFile(join(dist, '.vite/manifest.json'), 'utf8')) as Record<
    string,
    Chunk
  >
  const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry === true)
  if (entry === undefined) throw new Error('The build has no entry.')
  const pages = Object.keys(manifest).filter((name) => name.endsWith('-page.tsx'))
  if (!landings.every((page) => pages.includes(page))) throw new Error('The build lacks pages.')
  const totals = await Promise.all(
    pages.map(async (page) => {
      const sizes = [...filesOf(manifest, [entry, ...frameOf(page), page])].map(
        async (file) => (await stat(join(dist, `${file}.gz`))).size,
      )
      return { page, bytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) }
    }),
  )
  console.log(`KiB at the first load, compressed; ${maxFirstLoadBytes / 1024} are allowed:`)
  for (const { page, bytes } of totals.toSorted((one, other) => other.bytes - one.bytes))
    console.log(`${(bytes / 1024).toFixed(1)}  ${page}`)
  const tooLarge = totals.filter(({ bytes }) => bytes > maxFirstLoadBytes).map(({ page }) => page)
  if (tooLarge.length > 0) throw new Error(`The first load is too large: ${tooLarge.join(', ')}`)
}

/** The files of some parts of the console, and of all that they import at once. */
function filesOf(manifest: Readonly<Record<string, Chunk>>, parts: readonly string[]): Set<string> {
  const files = new Set<string>()
  const walk = (name: string): void => {
    const chunk = manifest[name]
    if (chunk === undefined) throw new Error(`The build has no ${name}.`)
    if (files.has(chunk.file)) return
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
    for (const imported of chunk.imports ?? []) walk(imported)
  }
  for (const part of parts) walk(part)
  return files
}

/** What most people land on: the check sees them, whatever else it finds. */
const landings = [
  'src/sign-in/sign-in-page.tsx',
  'src/overview/overview-page.tsx',
  'src/messages/history-page.tsx',
]

/** The frame that a page stands in. */
function frameOf(page: string): readonly string[] {
  if (/^src\/(?:sign-in|profile)\//.test(page)) return []
  return [page.startsWith('src/operator/') ? 'src/operator/operator-shell.tsx' : 'src/ui/account-shell.tsx']
}

if (import.meta.main) {
  await setup()
  if (process.argv.includes('--check-size')) await checkSize()
}
