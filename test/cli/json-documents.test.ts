import { readConfig } from '../../src/config.ts'
import { databaseSettings, isPostgres } from '../test-database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import type { DeviceReportBody } from '../../src/storage/tables/json-columns.ts'
import { saveDeviceReports } from '../../src/devices/status/device-report.ts'
import { openForCommand } from '../../src/storage/open/command-storage.ts'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
beforeAll(async () => {
  cli = await openCli()
})
afterAll(() => cli.close())

const body: DeviceReportBody = {
  link: 'stream',
  lastSeenAt: 1_000,
  nextContactExpectedBy: 2_000,
  appVersion: '1.68.0',
  battery: { percent: 87, charging: true, at: 3_000 },
  network: { registered: true, roaming: null, operator: 'O', signalDbm: -90, transport: 'wifi', at: 4_000 },
  sims: [{ slot: 1, number: '+4915199990001', carrier: 'Telekom.de' }],
  capabilities: { deliveryReports: true, maxParts: 10, alphanumericSender: false },
  throughput: { partsPerWindow: 30, windowSeconds: 1_800, remaining: 22, resetsAt: 5_000 },
  inFlight: 1,
  lastSentAt: 6_000,
  lastError: 'no_service',
}

/** As the running server stores it. */
async function report(deviceId: string): Promise<void> {
  const storage = await openForCommand(readConfig(databaseSettings(cli.dataFolder)), systemClock.now())
  const said = { deviceId, status: 'degraded', reasons: ['battery_low'], reportedAt: 7_000, body } as const
  await storage.writer.write((tx) => saveDeviceReports(tx, [said]))
  await storage.close()
}

test('every document has its names in snake_case and its times in RFC 3339', async () => {
  const { account_id: account } = await cli.json<{ account_id: string }>(
    'account create --name Ada --email ada@example.org',
  )
  const { id: device } = await cli.json<{ id: string }>(
    `device add simulator --account ${account} --name S --set delay_ms=5 --sender Shop --parts-per-window 30 --window-seconds 60`,
  )
  await report(device)
  const { id: key } = await cli.json<{ id: string }>(
    `key create --account ${account} --name K --expires 2100-01-01T00:00:00Z`,
  )
  const file = `${cli.dataFolder}/copy.db`
  for (const line of [
    'account list',
    `account grant --account ${account} --sms 5 --note N`,
    `account limit --account ${account} --queue 5`,
    `key list --account ${account}`,
    `key revoke --key ${key}`,
    'operator token create --name B --expires 2100-01-01T00:00:00Z',
    'operator token list',
    `opt-out add --account ${account} --number +4915112345678`,
    `opt-out list --account ${account}`,
    `opt-out remove --account ${account} --number +4915112345678`,
    'device list',
    `device set ${device} --name T`,
    `device connect ${device}`,
    `device test ${device}`,
    `device receipts ${device}`,
    `device unread ${device}`,
    'doctor',
    // A server is backed up with its own tools.
    ...(isPostgres ? [] : [`backup ${file}`, `restore ${file}`]),
    'restore release',
    'restore cancel',
    'restore settle',
    'migrate',
    'version',
    `device remove ${device}`,
    `account suspend --account ${account}`,
    `account reactivate --account ${account}`,
    `account close --account ${account}`,
    `account erase --account ${account} --confirm Ada`,
  ])
    expectSnakeCase(await cli.json(line), line)
})

test('what a device reported is shown as the interface shows it', async () => {
  const { id } = await cli.json<{ id: string }>('device add simulator --shared --name S')
  await report(id)
  const { devices } = await cli.json<{ devices: { report: object }[] }>('device list --shared')
  expect(devices[0]?.report).toEqual({
    status: 'degraded',
    reasons: ['battery_low'],
    reported_at: '1970-01-01T00:00:07.000Z',
    link: 'stream',
    last_seen_at: '1970-01-01T00:00:01.000Z',
    next_contact_expected_by: '1970-01-01T00:00:02.000Z',
    app_version: '1.68.0',
    battery: { percent: 87, charging: true, at: '1970-01-01T00:00:03.000Z' },
    network: {
      registered: true,
      roaming: null,
      operator: 'O',
      signal_dbm: -90,
      transport: 'wifi',
      at: '1970-01-01T00:00:04.000Z',
    },
    sims: [{ slot: 1, number: '+4915199990001', carrier: 'Telekom.de' }],
    capabilities: { delivery_reports: true, max_parts: 10, alphanumeric_sender: false },
    throughput: {
      parts_per_window: 30,
      window_seconds: 1_800,
      remaining: 22,
      resets_at: '1970-01-01T00:00:05.000Z',
    },
    in_flight: 1,
    last_sent_at: '1970-01-01T00:00:06.000Z',
    last_error: 'no_service',
    sim_credit: null,
    balance: null,
  })
})

function expectSnakeCase(value: unknown, place: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value)) expect(name, place).toMatch(/^[a-z][a-z0-9_]*$/)
    if (/(^|_)(at|by)$/.test(name) && member !== null)
      expect(member, `${place} ${name}`).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expectSnakeCase(member, `${place} ${name}`)
  }
}
