import { createHash } from 'node:crypto'
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { findBlocks, instrument } from './blocks.ts'
import { openLane } from './lanes.ts'
import { parse } from './syntax.ts'

/** What a test file reaches: blocks of `blocks.ts`, by source file. */
export interface Reached {
  hash: string
  ms: number
  /** One that fails without any change cannot tell. */
  isSound: boolean
  found: Readonly<Record<string, readonly number[]>>
}
export type Coverage = Readonly<Record<string, Reached>>

interface Kept {
  sources: Record<string, string>
  tests: Record<string, Reached>
}

export const root = join(import.meta.dirname, '../..')
const cache = join(root, 'node_modules/.cache/onesixty/mutants.json')
const chunk = 12

export const filesOf = (globs: readonly string[]): string[] => globSync([...globs], { cwd: root }).toSorted()

/** What each of the tests reaches of the sources, by a first run of those of which it is not known, or that have changed since, or what they reach. */
export async function readCoverage(
  sources: readonly string[],
  tests: readonly string[],
  say: (line: string) => void,
): Promise<Coverage> {
  const kept = readKept()
  const hashes = Object.fromEntries(sources.map((file) => [file, hashOf(file)]))
  const changed = new Set(sources.filter((file) => kept.sources[file] !== hashes[file]))
  const isNew = [...changed].some((file) => kept.sources[file] === undefined)
  const stale = tests.filter((file) => {
    const known = kept.tests[file]
    if (known === undefined || isNew || known.hash !== hashOf(file)) return true
    return Object.keys(known.found).some((source) => changed.has(source))
  })
  if (stale.length > 0) await cover(kept, { ...kept.sources, ...hashes }, stale, say)
  return Object.fromEntries(tests.flatMap((file) => knownOf(kept, file)))
}

const knownOf = ({ tests }: Kept, file: string): [string, Reached][] => {
  const known = tests[file]
  return known === undefined ? [] : [[file, known]]
}

async function cover(
  kept: Kept,
  sources: Record<string, string>,
  tests: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'onesixty-hits-'))
  const lane = openLane(folder)
  const marked = markAll(Object.keys(sources))
  const texts = Object.fromEntries(marked.map(({ file, text }) => [join(root, file), text]))
  try {
    for (let i = 0; i < tests.length; i += chunk) {
      const some = tests.slice(i, i + chunk)
      say(`coverage: test file ${i + 1} of ${tests.length}`)
      const result = await lane.run({ texts, tests: some }, 600_000)
      const hits = readHits(folder, marked)
      for (const { file, ms, isSound } of result?.files ?? [])
        kept.tests[file] = { hash: hashOf(file), ms, isSound, found: hits.get(file) ?? {} }
      for (const { file, isSound } of result?.files ?? [])
        if (!isSound) say(`${file} fails without any change`)
      if (result === null) say(`took longer than 10 min: ${some.join(', ')}`)
      keep(
        sources,
        some.flatMap((file) => knownOf(kept, file)),
      )
    }
  } finally {
    lane.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Another run may have learned of other files meanwhile. */
function keep(sources: Record<string, string>, learned: readonly (readonly [string, Reached])[]): void {
  const now = readKept()
  mkdirSync(join(cache, '..'), { recursive: true })
  const tests = { ...now.tests, ...Object.fromEntries(learned) }
  writeFileSync(cache, JSON.stringify({ sources: { ...now.sources, ...sources }, tests }))
}

interface Marked {
  file: string
  text: string
  /** Where its blocks begin among those of all, and where those of the next begin. */
  first: number
  next: number
}

function markAll(files: readonly string[]): Marked[] {
  let next = 0
  return files.map((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const blocks = findBlocks(parse(text))
    const first = next
    next += blocks.length
    return { file, text: instrument(text, first, blocks), first, next }
  })
}

/** What `hits.ts` keeps of a test file. */
interface Hits {
  testPath: string
  found: readonly number[]
  loaded: readonly number[]
}

function readHits(folder: string, marked: readonly Marked[]): Map<string, Reached['found']> {
  const all = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Hits)
  const loaded = new Set(all.flatMap((hits) => hits.loaded))
  return new Map(
    all.map(({ testPath, found }) => [relative(root, testPath), reachedOf(found, loaded, marked)]),
  )
}

/** What runs as a module is loaded is reached by whatever reaches anything else in it. */
export function reachedOf(
  found: readonly number[],
  loaded: ReadonlySet<number>,
  marked: readonly Pick<Marked, 'file' | 'first' | 'next'>[],
): Reached['found'] {
  const reached = marked.map(({ file, first, next }): [string, number[]] => {
    const isOf = (block: number): boolean => block >= first && block < next
    const own = found.filter(isOf)
    const blocks = own.length === 0 ? [] : [...new Set([...own, ...[...loaded].filter(isOf)])]
    return [file, blocks.map((block) => block - first)]
  })
  return Object.fromEntries(reached.filter(([, blocks]) => blocks.length > 0))
}

function readKept(): Kept {
  try {
    return JSON.parse(readFileSync(cache, 'utf8')) as Kept
  } catch {
    return { sources: {}, tests: {} }
  }
}

const hashOf = (file: string): string =>
  createHash('sha256')
    .update(readFileSync(join(root, file)))
    .digest('hex')
