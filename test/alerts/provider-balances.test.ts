import { afterEach, beforeEach, expect, test } from 'vitest'
import { saveDeviceReports } from '../../src/devices/status/device-report.ts'
import { type AlertHouse, openAlertHouse } from './alert-house.ts'

let house: AlertHouse
beforeEach(async () => {
  house = await openAlertHouse()
})
afterEach(() => house.closeAll())

const report = (deviceId: string, amount: number | null, status: 'degraded' | 'offline' = 'degraded') =>
  house.storage.writer.write((tx) =>
    saveDeviceReports(
      tx,
      [
        {
          deviceId,
          status,
          reasons: [],
          reportedAt: house.clock.now(),
          body: {
            link: 'session', lastSeenAt: null, nextContactExpectedBy: null, appVersion: null, battery: null, network: null, sims: [],
            capabilities: null, throughput: null, inFlight: 0, lastSentAt: null, lastError: null,
            ...(amount !== null && { balance: { amount, currency: 'EUR', at: house.clock.now() } }),
          }, // prettier-ignore
        },
      ],
      1,
    ),
  )
const look = async (): Promise<string[]> => {
  house.minutes(1)
  await house.look()
  return house.told()
}

test('a balance at a provider that falls to its alert is mailed once, also when it runs dry, and again once it was topped up', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a', settings: { balance_alert: '5' } })
  await report('dev_p', 5.01)
  expect(await look()).toEqual([])
  await report('dev_p', 5)
  expect(await look()).toEqual(['ada: The balance of dev_p is low'])
  const { said } = await house.storage.read.selectFrom('alerts').select('said').executeTakeFirstOrThrow()
  expect(said).toContain('(dev_p) has 5 EUR left; balance_alert is 5.')
  expect(house.post.mails[0]?.raw).toContain('/devices')
  await report('dev_p', 0, 'offline')
  expect(await look()).toHaveLength(1)
  await report('dev_p', 20)
  expect(await look()).toEqual([
    'ada: The balance of dev_p is above its threshold again',
    'ada: The balance of dev_p is low',
  ])
})

test('that of a shared device is mailed to operators alone', async () => {
  await house.addDevice('dev_s', { settings: { balance_alert: '5' } })
  await report('dev_s', 1)
  expect(await look()).toEqual(['olga: The balance of dev_s is low'])
})

test('without the setting, or without an answer of the provider, nothing is mailed', async () => {
  await house.addDevice('dev_1', { accountId: 'acc_a', settings: { balance_alert: '' } })
  await house.addDevice('dev_2', { accountId: 'acc_a' })
  await house.addDevice('dev_3', { accountId: 'acc_a', settings: { balance_alert: '5' } })
  await report('dev_1', 0)
  await report('dev_2', 0)
  await report('dev_3', null)
  expect(await look()).toEqual([])
})
