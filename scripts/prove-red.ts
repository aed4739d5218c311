import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { proofSizes } from '../test/proof-sizes.ts'
import { proofs } from './proofs.ts'

/**
 * A proof that never failed proves nothing: plants a bug in a copy of the tree and runs the test there that must catch it.
 *
 *     node scripts/prove-red.ts <name>… | --all
 *
 * The bugs are test/planted/<name>.patch: a sentence, the test that must fail, and a unified diff.
 */
export interface PlantedBug {
  name: string
  /** What is wrong with the program once it is planted. */
  summary: string
  /**
   * The test file, and words in the name of the test in it, that must fail; of a proof that is a program words of what it says last: a reason, or
   * several with "; " between.
   */
  file: string
  test: string
  /** Words of the reasons of which one must be told, where the test measures times too: those fail on a busy machine without any bug. */
  because: readonly string[]
  changes: readonly FileChange[]
}

interface FileChange {
  file: string
  hunks: readonly { before: string; after: string }[]
}

const root = join(import.meta.dirname, '..')
const folder = join(root, 'test', 'planted')

/** Reads a patch. Throws when it is not of the form described above. */
export async function readPlantedBug(name: string): Promise<PlantedBug> {
  const text = await readFile(join(folder, `${name}.patch`), 'utf8')
  const header = text.slice(0, text.search(/^--- /m))
  const all = (label: string): string[] =>
    [...header.matchAll(new RegExp(`^${label}: (.+)$`, 'gm'))].map(([, value]) => value as string)
  const field = (label: string): string => {
    const [value] = all(label)
    if (value === undefined) throw new Error(`${name}.patch has no line "${label}: …"`)
    return value
  }
  const [summary, file, test] = [field('Bug'), field('Red in'), field('Test')]
  return { name, summary, file, test, because: all('Because'), changes: readChanges(text) }
}

/** The names of all bugs. */
export const plantedBugs = async (): Promise<string[]> =>
  (await readdir(folder))
    .filter((file) => file.endsWith('.patch'))
    .map((file) => basename(file, '.patch'))
    .toSorted()

function readChanges(text: string): FileChange[] {
  return text
    .split(/^--- .*\n/m)
    .slice(1)
    .map((part) => {
      const file = /^\+\+\+ (?:b\/)?(\S+)/.exec(part)?.[1]
      if (file === undefined) throw new Error('a diff without a +++ line')
      const hunks = part.split(/^@@.*\n/m).slice(1)
      return { file, hunks: hunks.map(readHunk) }
    })
}

function readHunk(hunk: string): { before: string; after: string } {
  const lines = hunk.split('\n').filter((line) => /^[ +-]/.test(line))
  const side = (other: string): string =>
    lines
      .filter((line) => !line.startsWith(other))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  return { before: side('+'), after: side('-') }
}

/** The text with the hunks applied, wherever their lines stand now. Throws when they do not stand there exactly once. */
export function plant(text: string, { file, hunks }: FileChange): string {
  let planted = text
  for (const { before, after } of hunks) {
    const found = planted.split(before).length - 1
    if (found !== 1)
      throw new Error(`the patch no longer fits ${file}: these lines stand there ${found} times:\n${before}`)
    planted = planted.replace(before, () => after)
  }
  return planted
}

async function main(): Promise<void> {
  const given = process.argv.slice(2)
  const names = given.includes('--all') ? await plantedBugs() : given
  if (names.length === 0) throw new Error(`name a bug, or --all: ${(await plantedBugs()).join(', ')}`)
  let allCaught = true
  for (const name of names) {
    const bug = await readPlantedBug(name)
    const startedMs = performance.now()
    const { caught, detail } = await proveRed(bug)
    allCaught &&= caught
    console.log(
      `${caught ? 'caught' : 'MISSED'}  ${name.padEnd(24)} ${((performance.now() - startedMs) / 1000).toFixed(1)} s  ${detail}`,
    )
  }
  process.exitCode = allCaught ? 0 : 1
}

/**
 * All but these is copied: a part of the program that is missing would fail the test in the place of the bug. What was built of the console is
 * no part of these tests.
 */
const leftOut = new Set(['.git', 'node_modules', 'console/node_modules', 'console/dist', 'release', 'data'])

/**
 * Plants the bug in a copy of the tree and runs its test there, at the sizes of `npm test`. A test that fails without saying what it expected
 * (it timed out, or no server started) catches the bug only if it passes without it.
 */
export async function proveRed(bug: PlantedBug): Promise<{ caught: boolean; detail: string }> {
  if (!bug.file.endsWith('.test.ts')) return proveProgramRed(bug)
  const { outcome, detail } = await runIn(bug, bug.changes)
  if (outcome !== 'failed') return { caught: false, detail }
  if (bug.because.length > 0)
    return bug.because.some((reason) => detail.includes(reason))
      ? { caught: true, detail }
      : { caught: false, detail: `it failed, and not because of "${bug.because.join('" or "')}": ${detail}` }
  if (/^(AssertionError|Error: Property failed)/.test(detail)) return { caught: true, detail }
  const without = await runIn(bug, [])
  return without.outcome === 'passed'
    ? { caught: true, detail }
    : { caught: false, detail: `without the bug the test does not pass either: ${without.detail}` }
}

/** What became of the one test; why, in a line. */
interface Outcome {
  outcome: 'passed' | 'failed' | 'did not run'
  detail: string
}

const runIn = (bug: PlantedBug, changes: readonly FileChange[]): Promise<Outcome> =>
  inCopy(changes, (copy) => runTest(bug, copy))

/**
 * A proof that is a program ends with 1 when it fails, and its last line says what was seen, and behind that what does not hold: only the named words
 * count. Without the bug it must come as far, and say none of them.
 */
async function proveProgramRed(bug: PlantedBug): Promise<{ caught: boolean; detail: string }> {
  const { code, lastLine } = await inCopy(bug.changes, (copy) => runProgram(bug.file, copy))
  if (code === 0 || !lastLine.includes(bug.test)) return { caught: false, detail: lastLine }
  const without = await runOnceWithoutBug(bug.file)
  const isClean =
    seenIn(without.lastLine) === seenIn(lastLine) &&
    !bug.test.split('; ').some((reason) => without.lastLine.includes(reason))
  return isClean
    ? { caught: true, detail: lastLine }
    : { caught: false, detail: `without the bug it does not hold either: ${without.lastLine}` }
}

/** What a last line says was seen, but for the numbers. */
const seenIn = (lastLine: string): string =>
  (lastLine.split('; ')[0] as string).replaceAll(/-?\d[\d.,]*/g, '#')

/** Programs without any bug: they take minutes, and say the same whichever bug is planted for them. */
const withoutBug = new Map<string, Promise<Ended>>()

function runOnceWithoutBug(file: string): Promise<Ended> {
  const running = withoutBug.get(file) ?? inCopy([], (copy) => runProgram(file, copy))
  withoutBug.set(file, running)
  return running
}

/** Copies that are in no use: what a server strips of its types there is kept, and stripped once for all bugs. */
const free: string[] = []

async function inCopy<T>(changes: readonly FileChange[], use: (copy: string) => Promise<T>): Promise<T> {
  const copy = free.pop() ?? (await makeCopy())
  const originals = new Map<string, string>()
  try {
    for (const change of changes) {
      const path = join(copy, change.file)
      const text = await readFile(path, 'utf8')
      if (!originals.has(path)) originals.set(path, text)
      await writeFile(path, plant(text, change))
    }
    return await use(copy)
  } finally {
    for (const [path, text] of originals) await writeFile(path, text)
    free.push(copy)
  }
}

async function makeCopy(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'onesixty-red-'))
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
  await cp(root, copy, { recursive: true, filter: (path) => !leftOut.has(relative(root, path)) })
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** What `npm test` runs must catch it, at its own sizes. */
const atSizesOfCi = { ...process.env, ONESIXTY_TEST_TIER: 'ci' }
/** But for ways that it leaves to the long run. */
const allWays = {
  ONESIXTY_TEST_SERVER_COPIES: '4',
  ONESIXTY_TEST_SHOWN_LOOKS: '3',
  ONESIXTY_TEST_SHOWN_MESSAGES: String(proofSizes.SHOWN_MESSAGES.long),
}

/** How a program ended, and the last line that it said. */
interface Ended {
  code: number | null
  lastLine: string
}

async function runProgram(file: string, copy: string): Promise<Ended> {
  const { code, output } = await run(process.execPath, [join(copy, file)], copy)
  return { code, lastLine: output.trim().split('\n').at(-1) ?? '' }
}

interface Report {
  testResults: {
    message: string
    assertionResults: { title: string; status: string; failureMessages: string[] }[]
  }[]
}

/** Only the named test failing counts: a file that cannot be loaded catches nothing. */
async function runTest(bug: PlantedBug, copy: string): Promise<Outcome> {
  const report = join(copy, 'report.json')
  // Of the bug before, which had the same copy.
  await rm(report, { force: true })
  const pattern = bug.test.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const vitest = join(copy, 'node_modules', 'vitest', 'vitest.mjs')
  const { projects = [] } = proofs.find(({ catches }) => catches.includes(bug.name)) ?? {}
  const chosen = projects.flatMap((project) => ['--project', project])
  const args = [
    vitest,
    'run',
    ...chosen,
    bug.file,
    '-t',
    pattern,
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]
  const { output } = await run(process.execPath, args, copy)
  const { testResults } = JSON.parse(
    await readFile(report, 'utf8').catch(() => '{"testResults":[]}'),
  ) as Report
  const tests = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ title, status }) => title.includes(bug.test) && /^(passed|failed)$/.test(status))
  if (tests.length === 0)
    return {
      outcome: 'did not run',
      detail: `the test "${bug.test}" did not run: ${testResults[0]?.message ?? output}`,
    }
  const failed = tests.filter(({ status }) => status === 'failed')
  const reason = failed[0]?.failureMessages[0]?.split('\n')[0] ?? 'the test passed with the bug planted'
  return { outcome: failed.length > 0 ? 'failed' : 'passed', detail: reason.slice(0, 200) }
}

function run(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    // What its servers strip goes with the copy.
    const kept = join(cwd, '.cache')
    const env = {
      ...atSizesOfCi,
      ...allWays,
      XDG_CACHE_HOME: kept,
      NODE_COMPILE_CACHE: join(kept, 'modules'),
    }
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}

if (import.meta.main) await main()
