import { changeOnDemand, takeChange } from '../../src/messages/core/change-number.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { statusOperation } from '../../src/api/v1/status.ts'
import { realKinds } from '../../src/connectors/registry.ts'
import { cancelWaiting, expireWaiting } from '../../src/messages/queue/finish-queued.ts'
import { releaseDue } from '../../src/messages/queue/release-due.ts'
import { readStranded } from '../../src/messages/queue/stranded.ts'
import type { MessageState } from '../../src/messages/core/message-store.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { statementsOf } from '../plans.ts'
import { openUnitHouse, type UnitHouse } from '../messages/unit-house.ts'

/** Messages that only own devices may carry, in an account of which no device can. */
let house: UnitHouse
beforeEach(async () => {
  house = await openUnitHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

const free = { paidBy: 'own_device' } as const
const hourMs = 3_600_000
const none = { messages: 0, expireBy: null, waitFor: new Map() }

interface Added {
  id?: string
  accountId?: string | null
  state?: 'enabled' | 'disabled'
  senders?: readonly string[]
  settings?: Readonly<Record<string, string>>
  /** Numbers of SIMs that it reported. */
  numbers?: readonly string[]
}
async function addDevice(kind: string, row: Added = {}) {
  const { accountId = 'acc_a', state = 'enabled', senders = [], settings = {}, numbers = [] } = row
  const { id = `dev_${kind}_${accountId ?? ''}_${state}` } = row
  const nowMs = house.clock.now()
  await house.store.writer.write(async (tx) => {
    await insertRows(tx, 'devices', [
      { id, account_id: accountId, kind, mode: 'live', name: id, state, senders: JSON.stringify(senders), settings: JSON.stringify(settings), created_at: nowMs, updated_at: nowMs },
    ])
    const sims = numbers.map((number, i) => ({ slot: i + 1, number, carrier: null }))
    const report = { link: 'stream', sims, capabilities: null, throughput: null, inFlight: 0 }
    await insertRows(tx, 'device_reports', [
      { device_id: id, status: 'online', reasons: '[]', body: JSON.stringify(report), reported_at: nowMs },
    ] as never)
  })
} // prettier-ignore
const stranded = () => readStranded(house.store.db, 'acc_a', realKinds)
async function status() {
  const deps = { readOf: () => house.store.db, now: () => house.clock.now() }
  const call = { caller: { accountId: 'acc_a', mode: 'live' } }
  const { body } = await statusOperation.handle(deps, call as never)
  const shown = body as { status: string; accepting: boolean; reasons: string[]; queue: { messages: number } }
  return [shown.status, shown.accepting, shown.reasons, shown.queue.messages]
}
async function expired(): Promise<(string | null)[]> {
  const nowMs = house.clock.now() + 2 * hourMs
  await house.store.writer.write((tx) =>
    expireWaiting(tx, { nowMs, take: changeOnDemand(tx, nowMs) }, 100, realKinds),
  )
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
  await addDevice('simulator')
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
  expect(await stranded()).toEqual(none)
  await house.send({
    ...free,
    recipients: ['+4915112345678', '+4915112345679'].map((to) => ({ to, country: 'DE' })),
    expiresAt: nowMs + hourMs,
  })
  await house.send({ ...free, encodingForced: true, from: 'Shop', expiresAt: nowMs + 2 * hourMs })
  await house.send({ ...free, sendAt: nowMs + hourMs, expiresAt: nowMs + 3 * hourMs })
  expect(await stranded()).toEqual({ messages: 4, expireBy: nowMs + 3 * hourMs, waitFor: new Map() })
  await house.claim('dev_gone', { routeKey: 'live+own:' })
  expect(await stranded()).toMatchObject({ messages: 3 })
  await addDevice('smpp', { senders: ['*'] })
  expect(await stranded()).toEqual(none)
})

test('a message that follows another one is stranded where only the device that took that one could carry it', async () => {
  await addDevice('smpp', { id: 'dev_a' })
  await house.send({ ...free, excludes: ['dev_a'] })
  expect(await stranded()).toMatchObject({ messages: 1, waitFor: new Map() })
  await addDevice('smpp', { id: 'dev_b', state: 'disabled' })
  expect([...(await stranded()).waitFor.keys()]).toEqual(['dev_b'])
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
  await addDevice('simulator')
  await house.send({ ...free, expiresAt: house.clock.now() + hourMs })
  expect(await expired()).toEqual(['no_own_device'])
})

test('what is waited for is asked of the sender and the encoding, not of the account: another own device does not hide it', async () => {
  const expiresAt = house.clock.now() + hourMs
  await addDevice('android', { id: 'dev_phone', state: 'disabled', numbers: ['+4915112345678'] })
  await addDevice('smpp', { id: 'dev_link', state: 'disabled', senders: ['Shop'] })
  await addDevice('android', { id: 'dev_other' })
  await house.send({ ...free, expiresAt })
  await house.send({ ...free, from: '+4915112345678', expiresAt })
  await house.send({ ...free, from: 'Shop', expiresAt })
  await house.send({ ...free, encodingForced: true, expiresAt })
  const waiting = { messages: 1, expireBy: expiresAt }
  expect(await stranded()).toEqual({
    messages: 3,
    expireBy: expiresAt,
    waitFor: new Map([
      ['dev_phone', waiting],
      ['dev_link', { ...waiting, messages: 2 }],
    ]),
  })
  expect(await status()).toEqual(['degraded', true, ['no_own_device'], 4])
  expect(await expired()).toEqual(['expired_in_queue', 'no_own_device', 'no_own_device', 'no_own_device'])
})

test('what has more parts than the enabled own device can join waits for one that can', async () => {
  const short = { ...realKinds, android: { ...realKinds['android'], maxParts: 2 } } as typeof realKinds
  const expiresAt = house.clock.now() + hourMs
  await addDevice('android')
  await addDevice('smpp', { state: 'disabled' })
  await house.send({ ...free, parts: 2, expiresAt })
  await house.send({ ...free, parts: 3, expiresAt })
  const waiting = { messages: 1, expireBy: expiresAt }
  expect(await readStranded(house.store.db, 'acc_a', short)).toEqual({
    ...waiting,
    waitFor: new Map([['dev_smpp_acc_a_disabled', waiting]]),
  })
  await house.store.writer.write((tx) =>
    expireWaiting(tx, { nowMs: expiresAt, take: changeOnDemand(tx, expiresAt) }, 100, short),
  )
  const rows = await house.store.db.selectFrom('messages').select('error_code').orderBy('parts').execute()
  expect(rows.map(({ error_code: code }) => code)).toEqual(['expired_in_queue', 'no_own_device'])
})

test('a link that only receives is no own device that could carry it', async () => {
  await addDevice('smpp', { settings: { bind: 'receiver' } })
  await house.send({ ...free, expiresAt: house.clock.now() + hourMs })
  expect(await stranded()).toMatchObject({ messages: 1 })
  expect(await expired()).toEqual(['no_own_device'])
})

test('what is scheduled or delayed and expires before it is due ends as stranded, too, and counts in the status', async () => {
  await addDevice('android')
  const nowMs = house.clock.now()
  const later = { sendAt: nowMs + hourMs, expiresAt: nowMs + hourMs }
  await house.send({ ...free, ...later, from: 'Shop' })
  await house.send({ ...free, ...later })
  expect(await status()).toEqual(['degraded', true, ['no_own_device'], 0])
  const released = await house.store.writer.write(async (tx) =>
    releaseDue(tx, await takeChange(tx, nowMs + hourMs), {
      dueMs: nowMs + hourMs,
      most: 10,
      kinds: realKinds,
    }),
  )
  expect(released.states.map(({ status: state, error_code: code }) => [state, code])).toEqual([
    ['expired', 'no_own_device'],
    ['expired', 'expired_in_queue'],
  ])
})

test('what ends together locks its wallets once, whatever its error and wherever it waits: two orders of two wallets could wait for each other', async () => {
  const nowMs = house.clock.now()
  const locks = async (end: (tx: Tx) => Promise<MessageState[]>) => {
    let ended = 0
    const seen = await house.store.writer.write((tx) =>
      statementsOf(tx, async () => void (ended = (await end(tx)).length)),
    )
    return { ended, locks: seen.filter(({ sql }) => /update "?wallets"?/i.test(sql)).length }
  }
  const send = async () => {
    await house.send({ expiresAt: nowMs + hourMs })
    await house.send({ ...free, expiresAt: nowMs + hourMs })
  }
  await send()
  const later = nowMs + 2 * hourMs
  expect(
    await locks((tx) => expireWaiting(tx, { nowMs: later, take: changeOnDemand(tx, later) }, 100, realKinds)),
  ).toEqual({ ended: 2, locks: 1 })
  await send()
  await house.send({ sendAt: nowMs + hourMs })
  const reason = { trigger: 'canceled', code: 'account_closed' } as const
  const cancel = async (tx: Tx) =>
    cancelWaiting(tx, await takeChange(tx, nowMs), { accountId: 'acc_a' }, reason, 100)
  expect(await locks(cancel)).toEqual({ ended: 3, locks: 1 })
  expect(await locks(cancel)).toEqual({ ended: 0, locks: 0 })
})
