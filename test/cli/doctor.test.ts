import { chmod, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CheckResult } from '../../src/cli/core/check-result.ts'
import { createCommandContext } from '../../src/cli/core/command-context.ts'
import { readConfig } from '../../src/config.ts'
import { databaseFile } from '../../src/process/data-folder.ts'
import { openDatabase } from '../open-database.ts'
import { databaseSettings, isPostgres } from '../test-database.ts'
import { register, report } from './registered-phone.ts'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
beforeEach(async () => {
  // The secret is that of the file, which a server on PostgreSQL would not make.
  cli = await openCli({ ONESIXTY_SECRET: '', ONESIXTY_PORT: '1' })
  if (isPostgres)
    await writeFile(`${cli.dataFolder}/secret`, 'a secret of the tests that nobody else has', { mode: 0o600 })
  await cli.json('account create --name Ada --email ada@example.org')
})
afterEach(() => cli.close())

async function examine(
  rest = '',
): Promise<{ code: number; ok: boolean; failed: CheckResult[]; checks: CheckResult[] }> {
  const { code, stdout } = await cli.run(`doctor --json ${rest}`)
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: CheckResult[] }
  return { code, ok, checks, failed: checks.filter((check) => !check.ok) }
}

async function damage(statement: string): Promise<void> {
  const { db, close } = openDatabase(cli.dataFolder)
  await sql.raw(statement).execute(db)
  await close()
}

const ofDatabase = isPostgres
  ? ['integrity', 'settings', 'connections', 'transactions', 'replication']
  : ['integrity', 'synchronous', 'wal']

test('a sound installation passes every check, with --full too', async () => {
  for (const rest of ['', '--full']) {
    const { code, ok, failed, checks } = await examine(rest)
    expect([code, ok, failed]).toEqual([0, true, []])
    expect(checks.map((check) => check.name)).toEqual([
      'node',
      'data_folder',
      'free_space',
      'secret',
      'database',
      'schema',
      ...ofDatabase,
      'secret_fits',
      'granted_is_ledger',
      'used_is_usage',
      'wallets_in_bounds',
      'accounts_have_wallets',
      'wallets_are_messages',
      'costs_are_consistent',
      'totals_are_queue',
      'waiting_is_queued',
      'routes_are_ways',
      'scheduled_is_deferred',
      'nothing_overdue',
      'final_has_time',
      'changes_are_numbered',
      'receipts_have_messages',
      'offers_are_attempts',
      'routes_are_purses',
      'traffic_is_messages',
      'traffic_grains_agree',
      'plans_not_over',
      'deliveries_have_events',
    ])
  }
})

test('says in words what fails, with what to do and the rows', async () => {
  await damage(`update wallets set granted = granted + 1 where mode = 'live'`)
  const { code, stdout } = await cli.run('doctor')
  expect(code).toBe(1)
  expect(stdout).toContain(
    'FAIL  granted_is_ledger: Violated: The amount granted to each wallet is the sum of its ledger entries.',
  )
  expect(stdout).toMatch(/"granted":11,"ledger":10/)
  expect(stdout).toContain(`1 of ${27 + ofDatabase.length} checks failed.`)
})

test('a secret that others may read, and one that is gone', async () => {
  await chmod(`${cli.dataFolder}/secret`, 0o644)
  expect((await examine()).failed).toMatchObject([
    { name: 'secret', summary: expect.stringContaining('chmod 600') },
  ])
  await rm(`${cli.dataFolder}/secret`)
  expect((await examine()).failed).toMatchObject([
    { name: 'secret', summary: expect.stringContaining('does not exist') },
  ])
})

test('a schema from another version; the sums of it are not asked', async () => {
  await damage(`insert into schema_migrations values ('0002_future.sql', 'x', 0)`)
  expect((await examine()).failed).toMatchObject([
    { name: 'schema', summary: expect.stringContaining('0002_future.sql') },
  ])
  await damage(`delete from schema_migrations where name = '0002_future.sql'`)
  await damage(`update schema_migrations set checksum = 'x'`)
  const { failed, checks } = await examine()
  expect(failed).toMatchObject([
    { name: 'schema', summary: expect.stringContaining('Migrations changed after they were applied') },
  ])
  expect(checks.map((check) => check.name)).not.toContain('granted_is_ledger')
})

test('changes nothing, and makes no secret', async () => {
  await rm(`${cli.dataFolder}/secret`)
  const before = await readdir(cli.dataFolder)
  await examine()
  // SQLite makes a log for whoever reads, too; there is nothing in it.
  const logs = isPostgres ? [] : ['onesixty.db-shm', 'onesixty.db-wal']
  expect(await readdir(cli.dataFolder)).toEqual([...new Set([...before, ...logs])].toSorted())
  if (!isPostgres) expect((await stat(`${databaseFile(cli.dataFolder)}-wal`)).size).toBe(0)
})

test('the port of a modem is examined for the server, and none over TCP', async () => {
  const add = (port: string) =>
    cli.json<{ id: string }>(['device', 'add', 'modem', '--shared', '--name', 'M', '--set', `port=${port}`])
  await add('tcp://127.0.0.1:1')
  expect((await examine()).checks.map(({ name }) => name)).not.toContain('ports')
  const { id } = await add('/dev/serial/by-id/usb-none')
  expect((await examine()).failed).toMatchObject([
    {
      name: 'ports',
      summary: `${id} at /dev/serial/by-id/usb-none: There is no /dev/serial/by-id/usb-none.`,
      remedy: expect.stringContaining('port_missing'),
    },
  ])
  await cli.json(`device set ${id} --set port=${cli.dataFolder}/secret`)
  expect((await examine()).checks).toContainEqual(expect.objectContaining({ name: 'ports', ok: true }))
  await cli.json(`device set ${id} --set port=/dev/none --disable`)
  expect((await examine()).failed).toEqual([])
})

test('the address of phones is tried once somebody wants one, and fails while nothing listens and no phone came', async () => {
  expect((await examine()).checks.filter(({ name }) => name.startsWith('phone'))).toEqual([])
  const { private_token } = await cli.json<{ private_token: string }>('device connect android --shared')
  const silent = { write: () => undefined }
  const io = { stdout: silent, stderr: silent, stdin: (async function* none() {})(), env: {} }
  const tools = createCommandContext(io, readConfig(databaseSettings(cli.dataFolder)))
  const deviceId = await register(tools, private_token, true)
  const { code, checks } = await examine()
  expect(code).toBe(1)
  expect(checks.filter(({ name }) => name.startsWith('phone'))).toEqual([
    {
      name: 'phone_address',
      ok: false,
      summary:
        'API URL for phones: http://127.0.0.1:1/mobile/v1. port: Nothing listens at 127.0.0.1:1, and the server does not run at 127.0.0.1:1.',
      remedy: 'Start the server.',
    },
    {
      name: 'phones',
      ok: true,
      summary: '1 registered, 1 of them on Google push; 1 valid private tokens.',
      remedy: expect.stringContaining('SSE Only'),
    },
  ])
  // A phone that was there knows better than this machine.
  const seen = async (agoMs: number, address: string, isCertain = true) => {
    const atMs = tools.clock.now() - agoMs
    await report(tools, deviceId, { link: 'push', lastSeenAt: atMs, contact: { atMs, address, isCertain } })
  }
  await seen(0, 'http://127.0.0.1:1')
  expect(await examine()).toMatchObject({
    code: 0,
    checks: expect.arrayContaining([
      expect.objectContaining({ name: 'phone_address', ok: true, remedy: null }),
    ]),
  })
  // Not about an earlier address, nor where a proxy hides the address and nothing answers at this one, nor a day later.
  const others: readonly Parameters<typeof seen>[] = [
    [0, 'http://127.0.0.1:2'],
    [0, 'https://127.0.0.1:1'],
    [0, 'http://sms.example.org'],
    [0, 'http://127.0.0.1:1', false],
    [25 * 3_600_000, 'http://127.0.0.1:1'],
  ]
  for (const given of others) {
    await seen(...given)
    expect([given, (await examine()).failed.map(({ name }) => name)]).toEqual([given, ['phone_address']])
  }
})
