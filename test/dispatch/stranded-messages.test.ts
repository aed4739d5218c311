import { afterEach, beforeEach, expect, test } from 'vitest'
import { renderStatus } from '../../src/api/v1/status.ts'
import { readDevicesStatus } from '../../src/devices/status/device-status.ts'
import { expireWaiting } from '../../src/messages/queue/finish-queued.ts'
import { readStranded } from '../../src/messages/queue/stranded.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openUnitHouse, type UnitHouse } from '../messages/unit-house.ts'

/** Messages that only own devices may carry, in an account that has none. */
let house: UnitHouse
beforeEach(async () => {
  house = await openUnitHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

const play = ['play']
const free = { paidBy: 'own_device' } as const
const hourMs = 3_600_000

async function addDevice(kind: string, row: { accountId?: string | null; state?: 'enabled' | 'disabled' } = {}) {
  const { accountId = 'acc_a', state = 'enabled' } = row
  const [id, nowMs] = [`dev_${kind}_${accountId ?? ''}_${state}`, house.clock.now()]
  await house.store.writer.write(async (tx) => {
    await insertRows(tx, 'devices', [
      { id, account_id: accountId, kind, mode: 'live', name: id, state, senders: '[]', settings: '{}', created_at: nowMs, updated_at: nowMs },
    ])
    const report = { link: 'stream', sims: [], capabilities: null, throughput: null, inFlight: 0 }
    await insertRows(tx, 'device_reports', [
      { device_id: id, status: 'online', reasons: '[]', body: JSON.stringify(report), reported_at: nowMs },
    ] as never)
  })
} // prettier-ignore
const stranded = () => readStranded(house.store.db, 'acc_a', play)
async function status() {
  const owner = { accountId: 'acc_a', mode: 'live', simulatedKinds: play } as const
  const shown = renderStatus(await readDevicesStatus(house.store.db, owner, house.clock.now()), 'live')
  return [shown.status, shown.accepting, shown.reasons, shown.queue.messages]
}
async function expired(): Promise<(string | null)[]> {
  await house.store.writer.write((tx) => expireWaiting(tx, house.clock.now() + 2 * hourMs, 100, play))
  const rows = await house.store.db
    .selectFrom('messages')
    .select(['status', 'error_code'])
    .orderBy('id')
    .execute()
  return rows.map((row) => (row.status === 'expired' ? row.error_code : row.status))
}

test('the status is degraded while messages wait for an own device and only shared ones exist, and it accepts sends', async () => {
  await addDevice('smpp', { accountId: null })
  expect(await status()).toEqual(['operational', true, [], 0])
  await house.send(free)
  expect(await status()).toEqual(['degraded', true, ['no_own_device'], 1])
  await addDevice('play')
  expect(await status()).toEqual(['degraded', true, ['no_own_device'], 1])
  await addDevice('smpp', { state: 'disabled' })
  expect(await status()).toEqual(['degraded', true, ['no_own_device'], 1])
  await addDevice('smpp')
  expect(await status()).toEqual(['operational', true, [], 1])
})

test('without any device the status names both causes', async () => {
  await house.send(free)
  expect(await status()).toEqual(['not_configured', false, ['no_device', 'no_own_device'], 1])
})

test('queued, scheduled and forced messages are counted as stranded, others and claimed ones are not', async () => {
  await addDevice('smpp', { accountId: null })
  const nowMs = house.clock.now()
  await house.send({})
  await house.send({ from: 'live+own' })
  expect(await stranded()).toEqual({ messages: 0, expireBy: null })
  await house.send({
    ...free,
    recipients: ['+4915112345678', '+4915112345679'].map((to) => ({ to, country: 'DE' })),
    expiresAt: nowMs + hourMs,
  })
  await house.send({ ...free, encodingForced: true, from: 'Shop', expiresAt: nowMs + 2 * hourMs })
  await house.send({ ...free, sendAt: nowMs + hourMs, expiresAt: nowMs + 3 * hourMs })
  expect(await stranded()).toEqual({ messages: 4, expireBy: nowMs + 3 * hourMs })
  await house.claim('dev_gone', { routeKey: 'live+own:' })
  expect(await stranded()).toMatchObject({ messages: 3 })
  await addDevice('smpp')
  expect(await stranded()).toEqual({ messages: 0, expireBy: null })
})

test('at the end of its validity a stranded message expires with no_own_device, another one as ever', async () => {
  const soon = { expiresAt: house.clock.now() + hourMs }
  await house.send({ ...soon })
  await house.send({ ...soon, ...free })
  expect(await expired()).toEqual(['expired_in_queue', 'no_own_device'])
})

test('with an own device that did not work, it expires as ever', async () => {
  await addDevice('smpp')
  await house.send({ ...free, expiresAt: house.clock.now() + hourMs })
  expect(await expired()).toEqual(['expired_in_queue'])
})

test('a simulator is no own device that could have carried it', async () => {
  await addDevice('play')
  await house.send({ ...free, expiresAt: house.clock.now() + hourMs })
  expect(await expired()).toEqual(['no_own_device'])
})
