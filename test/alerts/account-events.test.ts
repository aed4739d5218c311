import { afterEach, beforeEach, expect, test } from 'vitest'
import { recordStandings } from '../../src/devices/status/device-history.ts'
import { deviceEvent } from '../../src/dispatch/sweepers/device-event.ts'
import { changeStatePage } from '../../src/messages/account-state/change-account-state.ts'
import { recordEvents } from '../../src/messages/core/events.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

let house: MessagesFixture
beforeEach(async () => {
  house = await openMessagesFixture()
  await house.addAccount('acc_a', 100)
  await house.storage.writer.write((tx) => insertRows(tx, 'webhook_endpoints', [{ account_id: 'acc_a', id: 'whk_1', url: 'https://a.example', mode: null, state: 'enabled', disabled_because: null, secret: 's', previous_secret: null, previous_until: null, failing_since: null, created_at: 1, updated_at: 1 }])) // prettier-ignore
})
afterEach(() => house.close())

const told = async () =>
  (
    await house.storage.read
      .selectFrom('webhook_events')
      .select(['type', 'facts', 'mode'])
      .orderBy('at')
      .orderBy('type')
      .execute()
  ).map(({ type, facts, mode }) => ({ type, mode, ...(JSON.parse(facts ?? '{}') as object) }))

/** As the reporter does it each second. */
async function stand(
  deviceId: string,
  status: 'online' | 'degraded' | 'offline' | 'pending',
  reasons: string[] = [],
) {
  await house.clock.advance(1_000)
  await house.storage.writer.write(async (tx) => {
    const changed = await recordStandings(tx, [{ deviceId, status, reasons, atMs: house.clock.now() }])
    await recordEvents(tx, changed.flatMap(deviceEvent))
  })
}

test('an account is told of what its own devices become, and not that a reason has changed', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await house.addDevice('dev_t', { accountId: 'acc_a', mode: 'test' })
  await house.addDevice('dev_s', { accountId: null })
  await stand('dev_p', 'pending')
  for (let i = 0; i < 2; i++) await stand('dev_p', 'online')
  await stand('dev_p', 'degraded', ['battery_low'])
  await stand('dev_p', 'degraded', ['battery_low', 'roaming'])
  await stand('dev_p', 'offline', ['no_contact'])
  await stand('dev_t', 'offline')
  await stand('dev_s', 'offline')
  expect(await told()).toMatchObject([
    { type: 'device.online', mode: 'live', device_id: 'dev_p', previous_status: 'pending' },
    { type: 'device.degraded', reasons: ['battery_low'] },
    { type: 'device.offline', previous_status: 'degraded', reasons: ['no_contact'] },
    { type: 'device.offline', mode: 'test', device_id: 'dev_t' },
  ])
})

test('an account is told that it was suspended and reactivated, once each, and nothing of its end', async () => {
  const become = async (state: 'active' | 'suspended' | 'closed') => {
    await house.clock.advance(1_000)
    await house.storage.writer.write(async (tx) =>
      changeStatePage(
        tx,
        { ids: house.ids, unit: await takeChange(tx, house.clock.now()) },
        { accountId: 'acc_a', state, actor: 'test' },
      ),
    )
  }
  for (const state of ['suspended', 'suspended', 'active', 'closed'] as const) await become(state)
  expect((await told()).map(({ type }) => type)).toEqual(['account.suspended', 'account.reactivated'])
})
