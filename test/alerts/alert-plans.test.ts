import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AlertRule } from '../../src/alerts/condition.ts'
import { disabledEndpoints } from '../../src/alerts/disabled-endpoints.ts'
import { expiringKeys } from '../../src/alerts/expiring-keys.ts'
import { lowBalances } from '../../src/alerts/low-balances.ts'
import { offlineDevices } from '../../src/alerts/offline-devices.ts'
import { realKinds } from '../../src/connectors/registry.ts'
import { pausedAccounts } from '../../src/alerts/paused-accounts.ts'
import { strandedMessages } from '../../src/alerts/stranded-messages.ts'
import { unusualFailures } from '../../src/alerts/unusual-failures.ts'
import { recordStandings } from '../../src/devices/status/device-history.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import { nestedScans, statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'

let house: MessagesFixture
beforeAll(async () => {
  house = await openMessagesFixture()
  // Of one that is away its rule asks more.
  await house.addDevice('dev_p', { accountId: null })
  const standing = { deviceId: 'dev_p', status: 'offline', reasons: [], atMs: house.clock.now() } as const
  await house.storage.writer.write((tx) => recordStandings(tx, [standing]))
})
afterAll(() => house.close())

const rules: Readonly<Record<string, AlertRule>> = {
  offlineDevices: offlineDevices(1),
  lowBalances,
  disabledEndpoints: disabledEndpoints(5),
  pausedAccounts,
  expiringKeys: expiringKeys(7),
  unusualFailures: unusualFailures(20),
  strandedMessages: strandedMessages(realKinds),
}

/** By what a rule begins with, which it reads once; all else it looks up. SQLite names a table by its alias. */
const begins: Readonly<Record<string, readonly string[]>> = {
  offlineDevices: ['SCAN device_states', 'SCAN devices'],
  // Devices for the balances at messaging services.
  lowBalances: ['SCAN wallets', 'SCAN accounts', 'SCAN devices'],
  disabledEndpoints: ['SCAN webhook_endpoints'],
  pausedAccounts: ['SCAN accounts'],
  expiringKeys: ['SCAN k', 'SCAN accounts'],
  unusualFailures: ['SCAN a'],
  // Of what waits for an instant only the rows of own devices.
  strandedMessages: ['SCAN queue_totals', 'SCAN deferred'],
}

test.each(Object.entries(rules))('%s walks over no table for each row of another', async (name, rule) => {
  const { read } = house.storage
  const ended = [{ id: 'alr_1', kind: rule.kinds[0] ?? 'balance_low', subject: 's' }] as const
  const statements = await statementsOf(read, async () => {
    await rule.find(read, house.clock.now(), new Set())
    await rule.findRecovered(read, ended, house.clock.now())
  })
  expect(statements).not.toEqual([])
  expect(await nestedScans(house.dataFolder, ...statements)).toEqual([])
  if (isPostgres) return
  // Nor once, but for what it begins with.
  const scans = (await stepsOf(house.dataFolder, ...statements)).filter((step) => step.startsWith('SCAN '))
  const tables = scans.map((step) => step.split(' ').slice(0, 2).join(' '))
  expect(tables.filter((table) => begins[name]?.includes(table) !== true)).toEqual([])
})
