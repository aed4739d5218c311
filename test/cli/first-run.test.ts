import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApiClient } from '../api-client.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { cliProcess, type ServerProcess, startServerProcess, temporaryFolder } from '../harness.ts'
import { cliJson } from '../run-command.ts'
import { databaseSettings } from '../test-database.ts'

let dataFolder: string
let started: ServerProcess[]
beforeEach(async () => {
  dataFolder = await temporaryFolder()
  started = []
})
afterEach(async () => {
  await Promise.all(started.map((server) => server.kill('SIGKILL')))
  await rm(dataFolder, { recursive: true, force: true })
})

async function start(options: { port?: number; ofCheckout?: boolean } = {}): Promise<ServerProcess> {
  const server = await startServerProcess({ dataFolder, ...options })
  started.push(server)
  return server
}

const listAccounts = async () =>
  (await cliJson<{ accounts: { id: string; name: string }[] }>(['account', 'list'], dataFolder)).accounts

/** The account and test key of a welcome, once it has been printed. */
async function readWelcome(server: ServerProcess): Promise<{ accountId: string; testKey: string }> {
  const output = await eventually(server.output, (seen) => expect(seen).toContain('API reference: http'))
  const [, accountId = ''] = /account {4}(\S+)/.exec(output) ?? []
  const [, testKey = ''] = /test key {3}(\S+)/.exec(output) ?? []
  return { accountId, testKey }
}

test('the first start makes the operator an account and prints its keys, though others were created before; the second does not', async () => {
  const ada = await cliJson<{ account_id: string }>(
    ['account', 'create', '--name', 'Ada', '--email', 'ada@example.org'],
    dataFolder,
  )
  const first = await start()
  const { accountId, testKey } = await readWelcome(first)
  const client = createApiClient(first.url)
  expect(await client.balance(testKey)).toMatchObject({ account_id: accountId, mode: 'test' })
  expect(first.output().match(/link#/g)).toHaveLength(1)
  expect(first.output()).toMatch(/^ {2}http:\/\/localhost:\d+\/link#[\w-]{43}$/m)
  client.close()
  await first.stop()
  expect((await listAccounts()).map(({ id, name }) => [id, name])).toEqual([
    [ada.account_id, 'Ada'],
    [accountId, 'Operator'],
  ])

  const second = await start()
  await second.stop()
  expect(second.output()).not.toContain('test key')
  expect(second.output()).not.toContain('link#')
  expect(await listAccounts()).toHaveLength(2)
}, 60_000)

test('every command that the first start prints runs as it is printed, in the folder of the server', async () => {
  const server = await start({ ofCheckout: true })
  const { accountId } = await readWelcome(server)
  const printed = [...server.output().matchAll(/^ {2}(\S.*)$/gm)].map(([, line = '']) => line)
  const commands = printed.filter((line) => !/^(?:https?:|account |live key |test key )/.test(line))
  expect(commands.map((line) => line.split(' ')[0])).toEqual(['curl', 'curl', './onesixty'])
  const env = {
    PATH: process.env['PATH'],
    ...databaseSettings(dataFolder),
    ONESIXTY_PORT: String(server.port),
  }
  const run = async (line: string): Promise<string> =>
    (await promisify(execFile)('sh', ['-c', line], { cwd: process.cwd(), env, timeout: 20_000 })).stdout
  const [send = '', read = '', connect = ''] = commands
  expect(JSON.parse(await run(send))).toMatchObject({ messages: [{ status: 'queued' }] })
  expect(JSON.parse(await run(read))).toMatchObject({ data: [{ to: '+15005550006' }] })
  // The guide, which needs a terminal: test/e2e/ten-minutes.test.ts follows it.
  expect(connect).toBe('./onesixty device connect')
  await expect(run(connect)).rejects.toThrow('the guide needs a terminal')
  const asDocument = await run(`${connect} android --account ${accountId} --json`)
  expect(JSON.parse(asDocument)).toMatchObject({ private_token: expect.any(String) })
  await server.stop()
}, 60_000)

test('a start that cannot read its files, or not make its folder, names the setting', async () => {
  const failure = async (env: Record<string, string>): Promise<string> => {
    const { code, stderr } = await cliProcess(['serve'], { dataFolder, env })
    // Certificates may fit at the next try.
    expect(code).toBe('ONESIXTY_TLS_CERT' in env ? 1 : 78)
    return stderr
  }
  const file = `${dataFolder}/not-a-certificate`
  await writeFile(file, 'x')
  expect(await failure({ ONESIXTY_TLS_CERT: '/nowhere', ONESIXTY_TLS_KEY: file })).toContain(
    'ONESIXTY_TLS_CERT: /nowhere cannot be read (ENOENT).',
  )
  expect(await failure({ ONESIXTY_TLS_CERT: file, ONESIXTY_TLS_KEY: file })).toContain(
    'ONESIXTY_TLS_CERT and ONESIXTY_TLS_KEY do not contain a certificate and its key in PEM',
  )
  expect(await failure({ ONESIXTY_DATA: `${file}/data` })).toContain(
    `ONESIXTY_DATA: the folder ${file}/data cannot be created or written to (ENOTDIR).`,
  )
}, 60_000)

test('keys are made when they can be printed: a start that fails leaves the welcome to the next', async () => {
  const port = await freePort()
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
  const failed = await cliProcess(['serve'], { dataFolder, env: { ONESIXTY_PORT: String(port) } })
  await new Promise((resolve) => other.close(resolve))
  expect([failed.code, failed.stdout]).toEqual([1, ''])
  expect(failed.stderr).toContain(`Port ${port} of 127.0.0.1 is in use`)
  expect(failed.stderr).toContain('ONESIXTY_PORT')
  expect(await listAccounts()).toEqual([])

  const server = await start({ port })
  expect((await readWelcome(server)).testKey).toMatch(/^onesixty_test_/)
  await server.stop()
}, 60_000)
