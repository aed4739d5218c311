import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { runAsGroup } from '../../scripts/release/check/process-group.ts'
import { eventually } from '../eventually.ts'

const group = join(import.meta.dirname, '../../scripts/release/check/process-group.ts')

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onesixty-group-'))
  onTestFinished(() => rm(folder, { recursive: true }))
})

/** A check that starts a server, as `sleep` is one, writes down its number, and then does what `rest` says. */
async function checkThat(rest: string): Promise<string> {
  const module = join(folder, 'check.ts')
  const text = `import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { sendWord } from ${JSON.stringify(group)}
const server = spawn('sh', ['-c', 'sleep 300 & echo $! ; wait'], { stdio: ['ignore', 'pipe', 'inherit'] })
server.stdout.on('data', (pid) => writeFileSync(${JSON.stringify(join(folder, 'pid'))}, pid))
await new Promise((resolve) => server.stdout.once('data', resolve))
await sendWord(async () => { ${rest} })`
  await writeFile(module, text)
  return module
}

const serverPid = async (): Promise<number> => Number(await readFile(join(folder, 'pid'), 'utf8'))
const serverPidOrNone = (): Promise<number> => serverPid().catch(() => 0)

/** Whether a process runs: one that was ended and that init has not collected yet (a zombie) does not. */
async function runs(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')
  return !/\) [ZX]/.test(state)
}

const ended = async (): Promise<void> => {
  const pid = await serverPid()
  expect(pid).toBeGreaterThan(1)
  await eventually(() => runs(pid), (isRunning) => expect(isRunning).toBe(false)) // prettier-ignore
}

const never = 60_000

test.skipIf(process.platform !== 'linux')('a check says what it saw, and what it leaves running ends with it', async () => {
  const check = await checkThat(`return 'all of it'`)
  expect(await runAsGroup(check, { args: [], longestMs: never })).toBe('all of it')
  await ended()
}) // prettier-ignore

test.skipIf(process.platform !== 'linux')('what a check that fails has started ends with it', async () => {
  const check = await checkThat(`throw new Error('lost one')`)
  await expect(runAsGroup(check, { args: [], longestMs: never })).rejects.toThrow('lost one')
  await ended()
})

test.skipIf(process.platform !== 'linux')('a check that hangs is ended after its time, with all that it started', async () => {
  const check = await checkThat(`await new Promise(() => {}); return ''`)
  const untilItRuns = () => eventually(serverPidOrNone, (pid) => expect(pid).toBeGreaterThan(1), 15_000)
  const running = runAsGroup(check, { args: [], longestMs: 600_000, wait: untilItRuns })
  await expect(running).rejects.toThrow('It has not ended within 600 s.')
  await ended()
}) // prettier-ignore

test.skipIf(process.platform !== 'linux')('a check that ends without a word does not hold', async () => {
  const check = await checkThat(`process.exit(0)`)
  await expect(runAsGroup(check, { args: [], longestMs: never })).rejects.toThrow(
    'It ended with 0, without a word.',
  )
  await ended()
})

test.skipIf(process.platform !== 'linux')('a check ends with the process that started it', async () => {
  const check = await checkThat(`await new Promise(() => {}); return ''`)
  const caller = join(folder, 'caller.ts')
  await writeFile(caller, `import { runAsGroup } from ${JSON.stringify(group)}\nvoid runAsGroup(${JSON.stringify(check)}, { args: [], longestMs: 60_000 })`) // prettier-ignore
  const child = fork(caller, [], { execArgv: [] })
  await eventually(serverPidOrNone, (pid) => expect(pid).toBeGreaterThan(1), 15_000)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await ended()
})
