import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { styleText } from 'node:util'
import { javaScriptFactor } from '../bench/host-factor.ts'
import { forgetCompiled } from './compiled-modules.ts'
import { buildTestedProgram, testedProgram } from './tested-program.ts'

/**
 * `npm test`: everything that CI runs; where a step fails, no other one begins. It ends with the ten slowest test files, the time of all of it, and
 * `N passed, N failed`: the tests of Vitest, and each other step counted as one. With a filter (`npm test -- device`) only Vitest runs, and only
 * the test files whose path contains it.
 */
interface Step {
  name: string
  commands: readonly (readonly [program: string, ...args: string[]])[]
  /** What it prints is shown when it passes, too. */
  isShown?: true
}

/** The type checker is a Go program: a fifth of its time went into collecting garbage that the memory of any machine of today holds. */
process.env['GOGC'] ??= '400'

/** The first takes longer than all others together, which run beside it: the console is there before any other needs it. */
const steps: readonly Step[] = [
  // What tsc finds by both tsconfig.json is found here, too, in 8 s in the place of 29: the same checker has loaded the types for the rules.
  { name: 'lint and types', commands: [['oxlint', '--type-check']] },
  { name: 'format', commands: [['oxfmt', '--check', '.']] },
  { name: 'console', commands: [['node', 'scripts/build-console.ts', '--check-size']] },
  // The second look leaves tests and scripts out: what only they reach is not part of the program.
  { name: 'dead code', commands: [['knip'], ['knip', '--production', '--include', 'files,dependencies']] },
  { name: 'layers', commands: [['node', 'scripts/layers.ts']] },
  { name: 'commits', commands: [['node', 'scripts/commit-subjects.ts']] },
  { name: 'generated files', commands: [['node', 'scripts/generate.ts', '--check']] },
  { name: 'program', commands: [['node', ...buildTestedProgram]] },
  { name: 'audit', commands: [['node', 'scripts/audit.ts']], isShown: true },
]

interface Count {
  passed: number
  failed: number
}

/** Set by .ci/run: there every proof runs, and one that was left out counts as failed. */
const mustBeComplete = process.env['ONESIXTY_TEST_COMPLETE'] === '1'

/** On two cores; what takes longer is found among the slowest files. */
const aimMinutes = 15

async function main(): Promise<void> {
  const startedMs = performance.now()
  const filters = process.argv.slice(2)
  const total: Count = { passed: 0, failed: 0 }
  if (filters.length === 0) process.env['ONESIXTY_PROGRAM'] ??= testedProgram
  if (filters.length > 0 || (await runSteps(total))) await runVitest(total, filters)
  if (filters.length === 0) await sayTotal((performance.now() - startedMs) / 60_000)
  console.log(`\n${total.passed} passed, ${total.failed} failed`)
  process.exitCode = total.failed === 0 ? 0 : 1
}

/** Runs the steps before the tests, two at a time, and none after one that failed; false when one did. */
async function runSteps(total: Count): Promise<boolean> {
  const waiting = [...steps]
  const runWaiting = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined && total.failed === 0; step = waiting.shift())
      await runStep(step, total)
  }
  await Promise.all([runWaiting(), runWaiting()])
  return total.failed === 0
}

async function runStep({ name, commands, isShown }: Step, total: Count): Promise<void> {
  const startedMs = performance.now()
  const output: string[] = []
  let code = 0
  for (const command of commands) code ||= await run(command, output)
  console.log(`${code === 0 ? '✓' : '✗'} ${name.padEnd(16)} ${seconds(startedMs)}`)
  if (code !== 0) console.log(output.join(''))
  else if (isShown) console.log(`  ${output.join('').trimEnd()}`)
  total[code === 0 ? 'passed' : 'failed'] += 1
}

/** Runs one command and gives its exit code; its output is kept in `output`. */
const run = (command: Step['commands'][number], output: string[]): Promise<number> =>
  spawned(command, 'pipe', (child) => {
    child.stdout?.on('data', (chunk: Buffer) => output.push(chunk.toString()))
    child.stderr?.on('data', (chunk: Buffer) => output.push(chunk.toString()))
  })

/** Runs one command, shows its output as it comes, and gives its exit code; what it wrote as errors is added to `errors` too. */
const show = (command: Step['commands'][number], errors: string[]): Promise<number> =>
  spawned(command, 'inherit', (child) => {
    child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString()))
    child.stderr?.pipe(process.stderr)
  })

function spawned(
  [program, ...args]: Step['commands'][number],
  stdout: 'pipe' | 'inherit',
  listen: (child: ChildProcess) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', stdout, 'pipe'] })
    listen(child)
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
}

/** With the factor of the host, so that totals of two machines can be read together (docs/benchmarks.md). */
async function sayTotal(minutes: number): Promise<void> {
  const factor = (await javaScriptFactor()).toFixed(2)
  const words = `total ${minutes.toFixed(1)} min of ${aimMinutes} at most, host factor ${factor}`
  // In the log of CI, too, which is no terminal.
  console.log(
    minutes > aimMinutes ? styleText('red', `${words}: too long`, { validateStream: false }) : words,
  )
}

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  testResults: TestFileResult[]
}

interface TestFileResult {
  name: string
  status: string
  startTime: number
  endTime: number
  assertionResults: { fullName: string; status: string }[]
}

/** Runs the tests, counts them, and names those that were left out. */
async function runVitest(total: Count, filters: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-check-'))
  const file = join(folder, 'report.json')
  await forgetCompiled()
  const startedMs = performance.now()
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const errors: string[] = []
  const code = await show(['vitest', 'run', ...reporters, ...filters], errors)
  const report = JSON.parse(await readFile(file, 'utf8').catch(() => 'null')) as VitestReport | null
  await rm(folder, { recursive: true })
  const leftOut = nameLeftOut(report)
  // A file that cannot be loaded, a leftover or a stray rejection fails the run without failing a test.
  const failed =
    Math.max(report?.numFailedTests ?? 0, code === 0 ? 0 : 1) + (mustBeComplete ? leftOut.length : 0)
  console.log(`${failed === 0 ? '✓' : '✗'} ${'tests'.padEnd(16)} ${seconds(startedMs)}`)
  if (filters.length === 0) for (const line of slowest(report)) console.log(line)
  for (const name of leftOut) console.log(`left out: ${name}`)
  for (const words of lastWords(errors.join(''))) console.log(words)
  total.passed += report?.numPassedTests ?? 0
  total.failed += failed
}

/** The ten test files whose tests took longest, without `beforeAll` and loading; a file counts once for each project that it runs in. */
const slowest = (report: VitestReport | null): string[] =>
  (report?.testResults ?? [])
    .map(({ name, startTime, endTime }) => ({ name: relative(process.cwd(), name), ms: endTime - startTime }))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 10)
    .map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`)

const nameLeftOut = (report: VitestReport | null): string[] =>
  (report?.testResults ?? []).flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== 'passed' && status !== 'failed')
      .map(({ fullName }) => fullName),
  )

/**
 * What V8 or Node.js wrote, stack included, when it gave a process up (a failed check, a heap that is full): Vitest names the signal alone, and
 * the output of thousands of tests buries the rest.
 */
const lastWords = (errors: string): string[] =>
  errors.match(/^.*(?:Fatal error in|FATAL ERROR|Check failed|Assertion failed)(?:.*\n){1,40}/gm) ?? []

const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`

await main()
