import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { simulatorKind } from '../../src/connectors/simulator/simulator.ts'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { openDatabase } from '../open-database.ts'
import { isPostgres } from '../test-database.ts'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
beforeAll(async () => {
  cli = await openCli({}, { isEmpty: true })
})
afterAll(() => cli.close())

const groups = {
  account: ['create', 'grant', 'limit', 'list', 'suspend', 'reactivate', 'close'],
  key: ['create', 'list', 'revoke'],
  device: ['add', 'list', 'set', 'connect', 'test', 'same', 'remove'],
  restore: ['release', 'cancel', 'settle'],
}
const words = ['serve', ...Object.keys(groups), 'send', 'doctor', 'backup', 'migrate', 'version']

test('the first help names every command', async () => {
  for (const line of ['--help', '-h', 'help']) {
    const { code, stdout, stderr } = await cli.run(line)
    expect([code, stderr]).toEqual([0, ''])
    for (const word of words) expect(stdout).toMatch(new RegExp(`^  ${word} `, 'm'))
  }
})

test('it says which version it is, the one of package.json, and in what form, whatever the settings are', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  const misconfigured = await openCli({ ONESIXTY_PORT: 'http' })
  for (const line of ['--version', '-v', 'version']) {
    const stdout = `onesixty ${version} (checkout, Node.js ${process.versions.node})\n`
    expect(await misconfigured.run(line)).toEqual({ code: 0, stdout, stderr: '' })
    expect(await misconfigured.json(`${line} --json`)).toEqual({
      version,
      form: 'checkout',
      commit: null,
      node: process.versions.node,
    })
  }
  await misconfigured.close()
  expect((await cli.run('--help')).stdout).toContain('onesixty --version')
})

test('help may stand in front of a command too', async () => {
  for (const line of ['account', 'account create', 'send', 'restore']) {
    const asked = await cli.run(`help ${line}`)
    expect(asked).toEqual(await cli.run(`${line} --help`))
    expect([asked.code, asked.stdout.startsWith(`Usage: onesixty ${line}`)]).toEqual([0, true])
  }
  expect((await cli.run('help acount')).stderr).toContain("Did you mean 'account'?")
})

test('the help of devices names every setting of every kind, and the help of send its exit codes', async () => {
  for (const line of ['device add --help', 'device set --help']) {
    const { stdout } = await cli.run(line)
    for (const { name, summary } of simulatorKind.settings) {
      expect(stdout).toMatch(new RegExp(`^  ${name}=.* `, 'm'))
      expect(stdout).toContain(summary)
    }
  }
  expect((await cli.run('send --help')).stdout).toMatch(/--wait the exit code is 0 when .* else 1/)
})

test('the help of adding a device of one kind names the settings of that kind alone', async () => {
  const { stdout } = await cli.run('device add simulator --help')
  expect(stdout).toContain('Settings of the kind simulator')
  expect(stdout).not.toContain('Settings of the kind smpp')
})

test('an option whose setting has no default says so, when a device is added and when it is changed', async () => {
  for (const line of ['device add --help', 'device set --help']) {
    const help = (await cli.run(line)).stdout
    const needed = [...help.matchAll(/^ {2}(\w+)= .*required/gm)].map(([, name = '']) => name)
    expect(needed).toEqual(['host', 'port', 'system_id'])
    for (const name of needed)
      expect(help).toMatch(new RegExp(`^  --${name.replace('_', '-')} .*\\. No default\\.$`, 'm'))
  }
})

test('every command on every level has a help of its own, which names --json and --help', async () => {
  for (const [group, commands] of Object.entries(groups)) {
    const help = (await cli.run(`${group} --help`)).stdout
    for (const name of commands) {
      expect(help).toMatch(new RegExp(`^  ${name} `, 'm'))
      const { code, stdout } = await cli.run(`${group} ${name} --help`)
      expect([code, stdout.startsWith(`Usage: onesixty ${group} ${name}`)]).toEqual([0, true])
      expect(stdout).toContain('--json')
      expect(stdout).toContain('--help')
    }
  }
  for (const word of ['serve', 'send', 'doctor', 'backup', 'restore', 'migrate', 'version']) {
    const { code, stdout } = await cli.run(`${word} --help`)
    expect([code, stdout.startsWith(`Usage: onesixty ${word}`)]).toEqual([0, true])
  }
})

test('wrong usage has the exit code 2, a sentence, and the nearest known word', async () => {
  const sentences = {
    acount: "onesixty: Unknown command 'acount'. Did you mean 'account'?\n",
    'account crate': "onesixty: Unknown command 'account crate'. Did you mean 'create'?\n",
    account: 'onesixty: Missing command after onesixty account. Available: create, grant,',
    'account list --limt 3': 'onesixty: Unknown option --limt. Did you mean --limit?\n',
    '--verison': 'onesixty: Unknown option --verison of onesixty. Did you mean --version?\n',
    'account --halp': 'onesixty: Unknown option --halp of onesixty account. Did you mean --help?\n',
    '--quite-another': 'onesixty: Missing command after onesixty. Available: serve,',
    constructor: "onesixty: Unknown command 'constructor'.",
    'account toString': "onesixty: Unknown command 'account toString'.",
    backup: 'onesixty: Missing argument <file>',
  }
  for (const [line, sentence] of Object.entries(sentences)) {
    const { code, stdout, stderr } = await cli.run(line)
    expect({ line, code, stdout, summary: stderr.startsWith(sentence) }).toEqual({
      line,
      code: 2,
      stdout: '',
      summary: true,
    })
    expect(stderr).toContain('--help')
  }
})

test('with --json an error is one JSON document on standard error, and nothing is on standard output', async () => {
  expect(await cli.run('account creat --json')).toEqual({
    code: 2,
    stdout: '',
    stderr: `{"error":{"code":"usage","message":"Unknown command 'account creat'. Did you mean 'create'?"}}\n`,
  })
  const { code, stderr } = await cli.run('account list --json')
  expect(code).toBe(1)
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      code: 'no_database',
      message: expect.stringContaining(isPostgres ? 'DATABASE_URL' : 'ONESIXTY_DATA'),
    },
  })
})

test('a command that only looks makes no database and no folder', async () => {
  const elsewhere = `${cli.dataFolder}/nowhere`
  const other = await openCli({ ONESIXTY_DATA: elsewhere }, { isEmpty: true })
  for (const line of [
    'account list',
    'device list',
    'doctor',
    'backup x.db',
    'key list --account acc_x',
    'restore release',
  ]) {
    expect((await other.run(line)).code).toBe(1)
  }
  if (isPostgres) await expectNoTables(other.dataFolder)
  await other.close()
  await expect(import('node:fs/promises').then((fs) => fs.access(elsewhere))).rejects.toThrow('ENOENT')
})

async function expectNoTables(dataFolder: string): Promise<void> {
  const { db, close } = openDatabase(dataFolder)
  const { rows } =
    await sql`select relname from pg_class where relnamespace = 'public'::regnamespace`.execute(db)
  await close()
  expect(rows).toEqual([])
}

test('a setting that cannot be used is named', async () => {
  const addresses = await openCli({ ONESIXTY_PUBLIC_URL: 'sms.example.org:8160' })
  expect((await addresses.run('account list')).stderr).toContain(
    "ONESIXTY_PUBLIC_URL needs an http or https address such as https://sms.example.org; it is 'sms.example.org:8160'.",
  )
  await addresses.close()
  const wrong = await openCli({ ONESIXTY_PORT: 'http', ONESIXTY_FREE_SM: '5' })
  const { code, stderr } = await wrong.run('account list --json')
  await wrong.close()
  expect(code).toBe(78)
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'configuration', message: expect.stringMatching(/ONESIXTY_PORT.*\n.*ONESIXTY_FREE_SM /) },
  })
})

test('files and folders are named whole, wherever the program was started', async () => {
  const relative = await openCli({ ONESIXTY_DATA: 'no-such-folder' }, { isEmpty: true })
  const [listed, examined] = [await relative.run('account list'), await relative.run('doctor')]
  await relative.close()
  expect(listed.stderr).toContain(
    isPostgres
      ? `The database ${basename(relative.dataFolder)} at 127.0.0.1:`
      : `No database at ${resolve('no-such-folder/onesixty.db')}.`,
  )
  expect(examined.stdout).toContain(`Make ${resolve('no-such-folder')} writable`)
})

test('a key for sending may stand among the settings, which are one file', async () => {
  const both = await openCli({ ONESIXTY_API_KEY: 'onesixty_test_x' })
  expect((await both.run('migrate')).code).toBe(0)
  await both.close()
})

test('serving is left to whoever started the program: without a command, and by name', async () => {
  const io = { stdout: { write: () => true }, stderr: { write: () => true }, stdin: process.stdin, env: {} }
  let served = 0
  const serve = async (): Promise<number> => {
    served += 1
    return 7
  }
  expect(await runCommandLine([], io, serve)).toBe(7)
  expect(await runCommandLine(['serve'], io, serve)).toBe(7)
  expect(await runCommandLine(['serve', '--help'], io, serve)).toBe(0)
  expect(await runCommandLine(['serve', '--prot', '80'], io, serve)).toBe(2)
  expect(served).toBe(2)
})
