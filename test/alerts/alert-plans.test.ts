import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AlertRule } from '../../src/alerts/condition.ts'
import { disabledEndpoints } from '../../src/alerts/disabled-endpoints.ts'
import { expiringKeys } from '../../src/alerts/expiring-keys.ts'
import { lowBalances } from '../../src/alerts/low-balances.ts'
import { offlineDevices } from '../../src/alerts/offline-devices.ts'
import { pausedAccounts } from '../../src/alerts/paused-accounts.ts'
import { unusualFailures } from '../../src/alerts/unusual-failures.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { nestedScans, statementsOf } from '../plans.ts'

let house: TestStorage
beforeAll(async () => {
  house = await openTestStorage()
})
afterAll(() => house.close())

const rules: Readonly<Record<string, AlertRule>> = {
  offlineDevices: offlineDevices(1),
  lowBalances,
  disabledEndpoints,
  pausedAccounts,
  expiringKeys: expiringKeys(7),
  unusualFailures: unusualFailures(20),
}

test.each(Object.entries(rules))('%s walks over no table for each row of another', async (_, rule) => {
  const { read } = house.storage
  const ended = [{ id: 'alr_1', kind: rule.kinds[0] ?? 'balance_low', subject: 's' }] as const
  const statements = await statementsOf(read, async () => {
    await rule.find(read, house.clock.now(), new Set())
    await rule.findRecovered(read, ended, house.clock.now())
  })
  expect(statements).not.toEqual([])
  expect(await nestedScans(house.dataFolder, ...statements)).toEqual([])
})
