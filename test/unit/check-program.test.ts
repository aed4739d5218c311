import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, onTestFinished, test } from 'vitest'

const check = join(import.meta.dirname, '../../scripts/check.ts')

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onesixty-check-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // Every tool that `npm test` runs passes at once, and Vitest writes down what it was to start.
  for (const name of ['oxlint', 'oxfmt', 'node', 'knip']) await lay(name, 'exit 0')
  await lay('vitest', `echo "\${ONESIXTY_PROGRAM-none}" >${folder}/program`)
})

async function lay(name: string, script: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`)
  await chmod(join(folder, name), 0o755)
}

/** Runs `npm test`, and returns the program that its tests were to start. */
async function programOf(env: Record<string, string>, ...filters: string[]): Promise<string> {
  await promisify(execFile)(process.execPath, [check, ...filters], {
    env: { PATH: `${folder}:/usr/bin:/bin`, ...env },
  })
  return (await readFile(join(folder, 'program'), 'utf8')).trim()
}

test.for([
  [undefined, [], 'node_modules/.cache/onesixty/program'],
  ['/opt/onesixty/dist', [], '/opt/onesixty/dist'],
  ['/opt/onesixty/dist', ['device'], '/opt/onesixty/dist'],
  [undefined, ['device'], 'none'],
] as const)('npm test starts its own build, unless the caller has named a program: %j', async ([named, filters, wanted]) => {
  expect(await programOf(named === undefined ? {} : { ONESIXTY_PROGRAM: named }, ...filters)).toContain(wanted)
}) // prettier-ignore
