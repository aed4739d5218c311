import { afterEach, beforeEach, expect, test } from 'vitest'
import { androidKind } from '../../src/connectors/android/android.ts'
import { setDevice } from '../../src/devices/core/device-store.ts'
import { saveDeviceReports } from '../../src/devices/status/device-report.ts'
import { readGuideKnown } from '../../src/dispatch/devices/guide-known.ts'
import { openRegistrationHouse, type RegistrationHouse } from './registration-house.ts'

let house: RegistrationHouse
let deviceId: string
beforeEach(async () => {
  house = await openRegistrationHouse()
  const { token } = await house.mint()
  deviceId = (await house.register(token))?.deviceId ?? ''
})
afterEach(() => house.close())

const own = '+4915550001234'
const change = (wanted: object) =>
  house.storage.writer.write((tx) =>
    setDevice(tx, { ...house.phoneDeps(), rules: androidKind }, { deviceId, actor: 'test', ...wanted }),
  )
/** What the node that runs the phone reports of its SIMs, by slot from 1. */
const report = (...numbers: (string | null)[]) =>
  house.storage.writer.write((tx) =>
    saveDeviceReports(tx, [
      {
        deviceId,
        status: 'online',
        reasons: [],
        reportedAt: house.clock.now(),
        body: {
          link: 'stream', lastSeenAt: house.clock.now(), nextContactExpectedBy: null, appVersion: '1.68.0', battery: null, network: null,
          sims: numbers.map((number, i) => ({ slot: i + 1, number, carrier: null })), capabilities: null, throughput: null, inFlight: 0,
          lastSentAt: null, lastError: null,
        },
      },
    ]),
  ) // prettier-ignore
const known = async () => {
  const reader = { read: house.storage.read, nowMs: house.clock.now(), word: 'onesixty' }
  const owner = { accountId: house.accountId, mode: 'live' as const }
  return (await readGuideKnown(reader, owner, { tokenId: null, deviceId, messageId: null })).phone
}

test('a number is awaited until the server reports it for its SIM', async () => {
  await report(null)
  await change({ sim: { slot: 1, number: own } })
  expect(await known()).toMatchObject({ isNumberAwaited: true, senders: [], withoutSim: [] })
  await report(own)
  expect(await known()).toMatchObject({ isNumberAwaited: false, senders: [own], withoutSim: [] })
})

test('a number that was set for a slot without a SIM is not waited for, and is named', async () => {
  await report(own)
  const elsewhere = '+4915550001235'
  await change({ sim: { slot: 2, number: elsewhere } })
  expect(await known()).toMatchObject({
    isNumberAwaited: false,
    senders: [own],
    withoutSim: [{ slot: 2, number: elsewhere }],
  })
})

test('a device that is disabled says so, instead of a wait for its phone', async () => {
  await change({ state: 'disabled' })
  expect(await known()).toMatchObject({
    isConnected: false,
    connection: 'the device is disabled. Enable it.',
  })
})
