import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { cliJson } from '../run-command.ts'
import { numbersFrom, openPhoneHouse } from './phone-house.ts'

const instant: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('status tells of a phone all that the phone tells, and its number once a person has named it', async () => {
  const house = await openPhoneHouse({
    simCards: [
      {
        slotIndex: 0,
        phoneNumber: '+4915199990001',
        carrierName: 'Telekom.de',
        iccid: '8949000000000000001',
      },
    ],
    batteryPercent: 87,
    isCharging: true,
  })
  const [phone] = await house.devices()
  const deviceId = phone?.id ?? ''
  // What it says when it registers is masked, so neither number nor carrier is known.
  expect(phone?.sims).toEqual([{ slot: 1, number: null, carrier: null }])
  await cliJson(
    ['device', 'set', deviceId, '--sim', '1', '--number', '+4915199990001', '--name', 'Shelf 2'],
    house.server.dataFolder,
  )
  await eventually(
    house.devices,
    ([device]) => expect(device?.sims).toEqual([{ slot: 1, number: '+4915199990001', carrier: null }]),
    15_000,
  )
  // From its second start on the app knows where to say that it started, and says its SIMs in clear.
  await house.phones.all.restart()
  await house.send(numbersFrom(0, 3))
  await house.phones.all.ping()
  await eventually(
    house.devices,
    ([device]) =>
      expect(device).toEqual({
        object: 'device',
        id: deviceId,
        name: 'Shelf 2',
        kind: 'android',
        shared: false,
        // A phone may talk to any of them.
        node: null,
        status: 'online',
        reasons: [],
        link: 'stream',
        last_seen_at: instant,
        next_contact_expected_by: instant,
        app_version: '1.68.0',
        battery: { percent: 87, charging: true, at: instant },
        network: {
          registered: true,
          roaming: null,
          operator: null,
          signal_dbm: null,
          transport: 'cellular',
          at: instant,
        },
        sims: [{ slot: 1, number: '+4915199990001', carrier: 'Telekom.de' }],
        capabilities: { delivery_reports: true, max_parts: 10, alphanumeric_sender: false },
        throughput: { parts_per_window: 30, window_seconds: 1_800, remaining: 27, resets_at: instant },
        queue: { messages: 0, in_flight: 0 },
        last_sent_at: instant,
        last_error: null,
        sim_credit: null,
        balance: null,
        plan_reached_on: null,
        sim_plans: [],
        canaries: [],
      }),
    20_000,
  )
}, 60_000)

test('a phone on Google push is degraded and says so, until its person chooses SSE Only', async () => {
  const house = await openPhoneHouse({ channel: 'push', awaitOnline: false })
  const status = () => house.devices()
  await eventually(status, ([device]) =>
    expect(device).toMatchObject({ status: 'degraded', reasons: ['push_only'], link: 'push' }),
  )
  await house.phones.set({ channel: 'sse' })
  await house.phones.all.restart()
  await eventually(status, ([device]) =>
    expect(device).toMatchObject({ status: 'online', reasons: [], link: 'stream' }),
  )
}, 60_000)

test('a phone with an empty battery and no SIM is degraded for both', async () => {
  const house = await openPhoneHouse({
    simCards: [],
    batteryPercent: 9,
    isCharging: false,
    awaitOnline: false,
  })
  await eventually(house.devices, ([device]) => expect(device?.link).toBe('stream'))
  await eventually(
    async () => {
      await house.phones.all.ping()
      return house.devices()
    },
    ([device]) =>
      expect(device).toMatchObject({
        status: 'degraded',
        reasons: ['no_sim', 'battery_low'],
        battery: { percent: 9 },
      }),
    10_000,
  )
}, 60_000)
