import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

interface Ended {
  code: number
  stdout: string
  stderr: string
}

/** Runs a program in an empty folder, on the Node.js of this process, to its end. */
async function run(program: string, args: readonly string[]): Promise<Ended> {
  const cwd = await mkdtemp(join(tmpdir(), 'onesixty-entry-'))
  onTestFinished(() => rm(cwd, { recursive: true, force: true }))
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, ONESIXTY_DATA: cwd }
  return new Promise((resolve) =>
    execFile(program, args, { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    ),
  )
}

test('an option that Node.js has too is read by the command that it is for', async () => {
  const { code, stderr } = await run(join(root, 'bin/onesixty.js'), ['send', '--to', '+15005550006', '--text', 'Hello', '--env-file', 'nowhere.env']) // prettier-ignore
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^onesixty: Cannot read nowhere\.env: .*\n$/),
  })
})

test('on a Node.js that is too old the program says which it needs, and where it is', async () => {
  const older = `data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })`,
  )}`
  const program = join(root, 'bin/onesixty.js')
  const { code, stdout, stderr } = await run(process.execPath, ['--import', older, program, 'version'])
  expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
  expect(stderr).toMatch(
    /^onesixty: Node\.js 20\.19\.0 is too old: onesixty needs 24\.8 or later\. .*\.\/onesixty.*\n$/,
  )
})

test('without its packages the program says how to install them', async () => {
  const bare = await mkdtemp(join(tmpdir(), 'onesixty-bare-'))
  onTestFinished(() => rm(bare, { recursive: true, force: true }))
  for (const part of ['bin', 'src', 'package.json']) await cp(join(root, part), join(bare, part), { recursive: true })
  const { code, stderr } = await run(join(bare, 'bin/onesixty.js'), ['account', 'list'])
  expect({ code, stderr }).toEqual({
    code: 78,
    stderr: expect.stringMatching(/^onesixty: The package \S+ is not installed\. Run npm ci .*\n$/),
  })
}) // prettier-ignore
