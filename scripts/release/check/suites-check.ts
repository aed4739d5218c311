import { chmod, glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root, run } from '../release.ts'
import type { Artefacts } from './artefacts.ts'
import { installPackage } from './npm-check.ts'
import type { Check } from './run-checks.ts'

/** Helpers by which a test starts the program as a process (test/harness.ts, test/house-server.ts, test/crash/). */
const startsProgram =
  /\b(?:startServerProcess|cliProcess|openCrashHouse|openNodesHouse|openArming|openWallClock|ownProcess: true)\b/

/** Lists the test files that start the program as a process: they know it by its ports, its files and its exit codes alone. */
export async function blackBoxSuites(): Promise<string[]> {
  const files: string[] = []
  for await (const file of glob('test/**/*.test.ts', { cwd: root }))
    if (startsProgram.test(await readFile(join(root, file), 'utf8'))) files.push(file)
  return files.toSorted()
}

interface Report {
  success: boolean
  numPassedTests: number
  testResults: { name: string; status: string }[]
}

/** The tests that start the program as a process, on the package that npm has installed. They take half an hour. */
export const suitesCheck: Check<Artefacts> = {
  name: 'suites',
  needs: [],
  isOptional: true,
  longestMs: 7_200_000,
  async run(on) {
    const folder = await installPackage({ ...on, scratch: join(on.scratch, 'suites') })
    // PostgreSQL does not run as root: its own user must reach what the tests put there.
    await chmod(on.scratch, 0o711)
    const suites = await blackBoxSuites()
    const report = join(on.scratch, 'suites.json')
    const args = ['run', '--reporter=json', `--outputFile=${report}`, ...suites]
    const env = { ONESIXTY_PROGRAM: join(folder, 'node_modules/onesixty/dist') }
    const ended = await run(join(root, 'node_modules/.bin/vitest'), args, { env }).then(() => '', String)
    const { success, numPassedTests, testResults } = JSON.parse(await readFile(report, 'utf8').catch(() => '{"success":false,"numPassedTests":0,"testResults":[]}')) as Report // prettier-ignore
    const failed = testResults
      .filter(({ status }) => status !== 'passed')
      .map(({ name }) => name.slice(root.length + 1))
    if (!success || ended !== '' || numPassedTests === 0)
      throw new Error(`${failed.length} suites failed: ${failed.join(', ')} ${ended.slice(-1_000)}`)
    return `${numPassedTests} tests of ${suites.length} suites`
  },
}
