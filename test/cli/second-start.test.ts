import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newVisitor } from '../console/visitor.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { startServerProcess, temporaryFolder } from '../harness.ts'
import { databaseSettings } from '../test-database.ts'

/** Runs a program on a terminal of its own (util-linux). */
const hasTerminal = spawnSync('script', ['--version']).status === 0

let dataFolder: string
let running: ChildProcess[]
beforeEach(async () => {
  dataFolder = await temporaryFolder()
  running = []
})
afterEach(async () => {
  await Promise.all(running.map(endTerminal))
  await rm(dataFolder, { recursive: true, force: true })
})

const environment = (port: number) => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  ...databaseSettings(dataFolder),
  ONESIXTY_PORT: String(port),
})

async function endTerminal(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** What a server writes to a terminal, line by line, until the line about the guides. */
async function startOnTerminal(port: number): Promise<{ lines: string[]; stop: () => Promise<void> }> {
  const child = spawn('script', ['-qefc', 'exec ./onesixty serve', '/dev/null'], {
    env: environment(port),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await eventually(
    () => output,
    (seen) => expect(seen).toMatch(/^Guides: .*\r?\n/m),
    20_000,
  )
  const lines = output.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('{'))
  return { lines, stop: () => endTerminal(child) }
}

test.runIf(hasTerminal)('a second start prints the address, who set the server up and the command for a new link, on a terminal only', async () => {
  const port = await freePort()
  const first = await startServerProcess({ dataFolder, port })
  const [, address = '', token = ''] = /^ {2}(http:\S+)\/link#(\S+)$/m.exec(first.output()) ?? []
  await first.stop()

  const second = await startOnTerminal(port)
  expect(second.lines).toEqual([
    `Console: ${address}`,
    'No password has been chosen yet.',
    'New link to choose a password: ./onesixty user reset-link --email operator@localhost',
    `Guides: ${address}/docs/guides`,
  ])
  const command = second.lines[2]?.split(': ')[1] ?? ''
  const made = await promisify(execFile)('sh', ['-c', command], { env: environment(port) })
  expect(made.stdout).toMatch(new RegExp(`^${address}/link#`))
  const visitor = newVisitor(address)
  const chosen = { token, password: 'gelber Igel im Schnee', email: 'ada@example.org' }
  // The new link ended the first one.
  expect(await visitor.change('link/choose-password', chosen)).toMatchObject({ status: 410 })
  const fresh = /link#(\S+)/.exec(made.stdout)?.[1]
  expect(await visitor.change('link/choose-password', { ...chosen, token: fresh })).toMatchObject({ status: 200 })
  await second.stop()

  const third = await startOnTerminal(port)
  expect(third.lines.slice(1, 3)).toEqual([
    'You set it up as ada@example.org.',
    'New link to choose a password: ./onesixty user reset-link --email ada@example.org',
  ])
  await third.stop()

  const log = await startServerProcess({ dataFolder, port })
  await log.stop()
  const lines = log.output().trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toContain('onesixty is ready')
  expect(log.output()).not.toContain('ada@example.org')
}, 120_000) // prettier-ignore
