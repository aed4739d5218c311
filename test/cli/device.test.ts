import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { readConfig } from '../../src/config.ts'
import type { DeviceReportBody } from '../../src/storage/tables/json-columns.ts'
import { saveDeviceReports } from '../../src/devices/status/device-report.ts'
import { openForCommand } from '../../src/storage/open/command-storage.ts'
import { databaseFile } from '../../src/process/data-folder.ts'
import { tablesWith } from '../messages/every-cell.ts'
import { openDatabase } from '../open-database.ts'
import { databaseSettings, isPostgres } from '../test-database.ts'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
let accountId: string
beforeAll(async () => {
  cli = await openCli()
  accountId = (await cli.json<{ account_id: string }>('account create --name Ada --email ada@example.org'))
    .account_id
})
afterAll(() => cli.close())

interface Device {
  id: string
  settings: Record<string, string>
}
const add = (rest: string) => cli.json<Device>(`device add simulator ${rest}`)
const list = async (rest: string) => (await cli.json<{ devices: Device[] }>(`device list ${rest}`)).devices

test('adds a device to an account, or shared, and lists it where it belongs', async () => {
  const own = await add(
    `--account ${accountId} --name S --set delay_ms=5 --set offline=true --sender Shop --sender +4915112345678`,
  )
  const shared = await add('--shared --name Everybody --mode test')
  expect(await list(`--account ${accountId}`)).toEqual([
    expect.objectContaining({
      id: own.id,
      account_id: accountId,
      shared: false,
      mode: 'live',
      kind: 'simulator',
      name: 'S',
      state: 'enabled',
      settings: { delay_ms: '5', offline: 'true' },
      senders: ['Shop', '+4915112345678'],
      report: null,
    }),
  ])
  expect(await list('--shared')).toEqual([
    expect.objectContaining({ id: shared.id, account_id: null, shared: true, mode: 'test' }),
  ])
  expect(await list('')).toHaveLength(2)
})

test('adds a device for each port of a range, all or none', async () => {
  // Nothing listens there, so no modem is asked who it is.
  const modems = async () => (await list('--shared')).filter(({ settings }) => 'port' in settings)
  const each = ['device', 'add', 'modem', '--shared', '--name', 'Pool {n}', '--each', 'tcp://127.0.0.1:1-3']
  expect(await cli.json([...each])).toMatchObject({
    devices: [1, 2, 3].map((n) => ({ name: `Pool ${n}`, settings: { port: `tcp://127.0.0.1:${n}` } })),
    taken: null,
  })
  expect(await modems()).toHaveLength(3)
  expect((await cli.run([...each, '--set', 'baud=none'])).code).toBe(1)
  expect(await modems()).toHaveLength(3)
})

test('says what a kind takes when it was mistyped', async () => {
  expect((await cli.run('device add simulater --shared --name S')).stderr).toContain(
    "Did you mean 'simulator'?",
  )
  expect((await cli.run('device add fax --shared --name S')).stderr).toContain(
    "Unknown kind of device 'fax'. Available: simulator, android, http, smpp, modem.",
  )
  const mistyped = await cli.run('device add simulator --shared --name S --set delay=5 --json')
  expect(mistyped.code).toBe(1)
  expect(JSON.parse(mistyped.stderr)).toMatchObject({
    error: {
      code: 'validation_failed',
      message: expect.stringContaining("no setting 'delay'; it has offline, delay_ms,"),
    },
  })
  expect((await cli.run('device add simulator --shared --name S --set delay_ms=soon')).stderr).toContain(
    'The setting delay_ms needs a whole number',
  )
})

test('a device needs an owner, and only one', async () => {
  expect((await cli.run('device add simulator --name S')).code).toBe(2)
  expect((await cli.run(`device add simulator --name S --shared --account ${accountId}`)).code).toBe(2)
  expect((await cli.run('device add simulator --name S --account acc_none')).code).toBe(1)
})

test('changes what is named of a device', async () => {
  const { id } = await add('--shared --name S --set delay_ms=5 --sender Shop')
  const set = (rest: string) => cli.json(`device set ${id} ${rest}`)
  expect(await set('--set window=7 --unset delay_ms --name T --disable')).toMatchObject({
    name: 'T',
    state: 'disabled',
    settings: { window: '7' },
    senders: ['Shop'],
  })
  expect(await set('--enable --no-senders --parts-per-window 30 --window-seconds 60')).toMatchObject({
    name: 'T',
    state: 'enabled',
    senders: [],
    pace: { parts_per_window: 30, window_seconds: 60 },
  })
  expect(await set('--no-pace')).toMatchObject({ pace: null })
  for (const rest of [
    '',
    '--enable --disable',
    '--set x',
    '--parts-per-window 3',
    '--sender A --no-senders',
  ]) {
    expect({ rest, code: (await cli.run(`device set ${id} ${rest}`)).code }).toEqual({ rest, code: 2 })
  }
  expect((await cli.run('device set dev_none --enable')).code).toBe(1)
})

test('tells that a simulator has nothing to connect', async () => {
  const { id } = await add('--shared --name S')
  const { code, stdout } = await cli.run(`device connect ${id}`)
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('The server connects devices of the kind simulator by itself.'),
  ])
})

test('a test of a device that has not reported fails and says so', async () => {
  const { id } = await add('--shared --name S')
  const { code, stdout } = await cli.run(`device test ${id} --json`)
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    checks: [
      { name: 'kind', ok: true },
      { name: 'enabled', ok: true },
      { name: 'settings', ok: true },
      { name: 'health', ok: false, summary: 'No report yet: is the server running?' },
    ],
  })
})

test('a link that its server has bound is not tried a second time, though it be offline', async () => {
  const { id } = await cli.json<Device>(
    'device add smpp --shared --name C --host 127.0.0.1 --port 1 --system-id x --password-stdin',
    'secret',
  )
  const storage = await openForCommand(readConfig(databaseSettings(cli.dataFolder)), systemClock.now())
  const checksOf = async (link: string) => {
    const said = {
      deviceId: id,
      status: 'offline',
      reasons: ['repeated_unknown'],
      reportedAt: systemClock.now(),
      body: { ...noBody, link },
    } as const
    await storage.writer.write((tx) => saveDeviceReports(tx, [said]))
    const { stdout } = await cli.run(`device test ${id} --json`)
    return (JSON.parse(stdout) as { checks: { name: string }[] }).checks.map(({ name }) => name)
  }
  expect(await checksOf('session')).not.toContain('peer')
  expect(await checksOf('none')).toContain('peer')
  await storage.close()
})

const noBody: Omit<DeviceReportBody, 'link'> = {
  lastSeenAt: null, nextContactExpectedBy: null, appVersion: null, battery: null, network: null, sims: [], capabilities: null,
  throughput: null, inFlight: 0, lastSentAt: null, lastError: null,
} // prettier-ignore

test('a removed device is gone', async () => {
  const { id } = await add('--shared --name S')
  expect(await cli.json(`device remove ${id}`)).toEqual({
    id,
    state: 'retired',
    changed: true,
    messages_stranded: 0,
  })
  expect((await cli.run(`device test ${id}`)).code).toBe(1)
  expect((await list('')).map((device) => device.id)).not.toContain(id)
})

test('a secret that the kind does not take is refused, and said nowhere', async () => {
  const fromStdin = await cli.run(
    'device add simulator --shared --name S --secret-stdin password',
    'hunter2\n',
  )
  const file = `${cli.dataFolder}/password`
  await writeFile(file, 'hunter2\n')
  const fromFile = await cli.run(`device add simulator --shared --name S --secret-file password=${file}`)
  for (const { code, stdout, stderr } of [fromStdin, fromFile]) {
    expect(code).toBe(1)
    expect(stderr).toContain("no secret 'password'; it has none")
    expect(stdout + stderr).not.toContain('hunter2')
  }
  const { db, close } = openDatabase(cli.dataFolder)
  const found = await tablesWith(db, ['hunter2'])
  await close()
  expect(found).toEqual([])
  if (!isPostgres) expect(await readFile(databaseFile(cli.dataFolder), 'latin1')).not.toContain('hunter2')
})
