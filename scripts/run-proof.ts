import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Proof } from './proof.ts'

export interface ProofResult {
  passed: number
  failed: number
  /** Tests that did not run because a tool is missing: nothing is proved by them. */
  leftOut: readonly string[]
  /** The first reason of each failure, in one line. */
  reasons: readonly string[]
  /** What a program said that it saw. */
  seen?: string
}

interface Report {
  testResults: {
    name: string
    message: string
    status: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
}

const vitest = join(import.meta.dirname, '..', 'node_modules', 'vitest', 'vitest.mjs')

/**
 * Runs the tests of a proof in this environment, or its program, which keeps what it saw when `isRecorded`. A file that cannot be loaded, or a
 * run without tests, is a failure.
 */
export async function runProof(
  { projects, files, script }: Pick<Proof, 'projects' | 'files' | 'script'>,
  env: NodeJS.ProcessEnv,
  isRecorded = false,
): Promise<ProofResult> {
  if (script !== undefined) return runScript([script, ...(isRecorded ? ['--record'] : [])], env)
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-prove-'))
  const file = join(folder, 'report.json')
  try {
    const chosen = projects.flatMap((project) => ['--project', project])
    const args = [vitest, 'run', ...chosen, ...files, '--reporter=json', `--outputFile.json=${file}`]
    const { code, output } = await run(process.execPath, args, env)
    const report = JSON.parse(await readFile(file, 'utf8').catch(() => 'null')) as Report | null
    return readReport(report, code, output)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Its last line says what it saw, and with that why it does not hold. */
async function runScript(args: readonly string[], env: NodeJS.ProcessEnv): Promise<ProofResult> {
  const { code, output } = await run(process.execPath, args, env)
  const seen = output.trim().split('\n').at(-1) ?? ''
  return code === 0
    ? { passed: 1, failed: 0, leftOut: [], reasons: [], seen }
    : { passed: 0, failed: 1, leftOut: [], reasons: [seen] }
}

/** What a report of Vitest says, with what it would hide: an exit code that no test explains. */
export function readReport(report: Report | null, code: number, output: string): ProofResult {
  const tests = (report?.testResults ?? []).flatMap(({ assertionResults }) => assertionResults)
  const passed = tests.filter(({ status }) => status === 'passed').length
  const failures = tests.filter(({ status }) => status === 'failed')
  const reasons = failures.map(
    ({ fullName, failureMessages }) => `${fullName}: ${firstLine(failureMessages[0] ?? '')}`,
  )
  const isUnexplained = failures.length === 0 && (code !== 0 || passed === 0)
  if (isUnexplained) {
    const broken = (report?.testResults ?? []).find(({ message }) => message !== '')
    reasons.push(firstLine(broken?.message ?? output) || `Vitest ended with ${code} and ran ${passed} tests`)
  }
  const leftOut = tests
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => fullName)
  return { passed, failed: failures.length + (isUnexplained ? 1 : 0), leftOut, reasons }
}

/** Of a property that failed also what makes the same run again, and the shortest case that fails: after an hour nobody wants to search for it anew. */
const firstLine = (text: string): string => {
  const [seed = ''] = /\{ seed: .*\}/.exec(text) ?? []
  const [found = ''] = /^Counterexample: .*$/m.exec(text) ?? []
  const first = (text.trim().split('\n')[0] ?? '').slice(0, 300)
  return [first, seed, found.slice(0, 2_000)].filter((part) => part !== '').join(' ')
}

/** So much of the end of what it said is kept. */
const keptOutput = 4_000

function run(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-keptOutput)))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
