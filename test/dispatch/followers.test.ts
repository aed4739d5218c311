import { expect, onTestFinished, test } from 'vitest'
import type { Link } from '../../src/connectors/connector.ts'
import { addRule } from '../../src/devices/routes/rule-store.ts'
import { wayId, wayText } from '../../src/devices/routes/way.ts'
import { readWay } from '../../src/devices/routes/way-words.ts'
import { createFollowerSender } from '../../src/dispatch/sweepers/follower-sender.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { cancelMessages } from '../../src/messages/queue/cancel-messages.ts'
import { readMessageDetails } from '../../src/messages/history/message-details.ts'
import { dayMs } from '../../src/runtime/clock.ts'
import { createLog } from '../../src/process/log.ts'
import { holdAll } from '../../src/storage/instance/restore-holds.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { openMessagesFixture } from '../messages-fixture.ts'
import { accepted } from '../messages/outcomes.ts'
import { scriptedKind } from './scripted-kind.ts'

/** `acc_a` with two links of its own, of which the first is asked first; each attempt is the ID of its part. */
async function openHouse(settings: Record<string, string> = {}) {
  const submit: Link['submit'] = async ({ attemptId }) => accepted(attemptId)
  const house = await openMessagesFixture(scriptedKind({ submit }))
  onTestFinished(() => house.close())
  const { storage, clock, ids, pool, dispatcher } = house
  await house.addGrantedAccount()
  await house.addDevice('dev_a', { accountId: 'acc_a' })
  await house.addDevice('dev_b', { accountId: 'acc_a', settings })
  const log = createLog('silent', { write: () => undefined })
  const senderWith = (more: Partial<Parameters<typeof createFollowerSender>[0]> = {}) =>
    createFollowerSender({
      read: storage.read, writer: storage.writer, clock, ids, log, pool, queueLimit: 0, changes: { tell: () => undefined }, wake: (route) => dispatcher.wake(route), ...more,
    }) // prettier-ignore
  const sender = senderWith()
  const followers = () => storage.read.selectFrom('followers').selectAll().orderBy('created_at').execute()
  const attempts = () =>
    storage.read.selectFrom('attempts').select(['id', 'device_id', 'message_id']).orderBy('started_at').orderBy('id').execute()
  return {
    ...house,
    followers,
    attempts,
    senderWith,
    async sendOne(more: Parameters<typeof house.send>[0] = {}) {
      await house.send({ onUndelivered: 'next_way', clientReference: 'order 7', ...more })
      await dispatcher.drain()
    },
    async report(result: 'delivered' | 'undelivered' | 'lost') {
      const [first] = await attempts()
      const code = result === 'delivered' ? null : 'unreachable'
      const receipt = { networkId: first?.id ?? '', result, code, networkCode: null }
      await dispatcher.receipt(first?.device_id ?? '', receipt)
    },
    async follow() {
      await sender.sweepAll()
      await dispatcher.drain()
    },
    messages: () =>
      storage.read.selectFrom('messages').select(['id', 'status', 'charged', 'expires_at', 'client_reference', 'key_id', 'device_id']).orderBy('id').execute(),
  }
} // prettier-ignore

test('a receipt that a message was not delivered makes one second message, over the other device, with a cost of its own', async () => {
  const house = await openHouse()
  await house.sendOne()
  await house.follow()
  expect(await house.messages()).toHaveLength(1)
  await house.report('undelivered')
  await house.report('undelivered')
  await house.follow()
  await house.follow()
  const [first, second, ...others] = await house.messages()
  expect(others).toEqual([])
  expect([first, second]).toMatchObject([
    { status: 'undelivered', charged: 1, device_id: 'dev_a' },
    { status: 'sent', charged: 1, device_id: 'dev_b', expires_at: first?.expires_at, client_reference: 'order 7', key_id: first?.key_id },
  ])
  const owner = { accountId: 'acc_a', mode: 'live' } as const
  const details = (id = '') => readMessageDetails(house.storage.read, owner, id)
  expect(await details(first?.id)).toMatchObject({ follows: null, followedBy: second?.id })
  expect(await details(second?.id)).toMatchObject({ follows: first?.id, followedBy: null })
  // The second one is followed by none.
  const [, attempt] = await house.attempts()
  await house.dispatcher.receipt('dev_b', { networkId: attempt?.id ?? '', result: 'undelivered', code: 'unreachable', networkCode: null })
  await house.follow()
  expect(await house.messages()).toHaveLength(2)
  await expectSums(house.storage.read, house.clock.now())
}) // prettier-ignore

test('a follower uses the way of its message again, so that the way stays as long as either', async () => {
  const house = await openHouse()
  const way = { stages: readWay('dev_a; dev_b') }
  const written = { id: wayId(way), text: wayText(way) }
  const usedAt = async () =>
    (await house.storage.read.selectFrom('ways').select('used_at').executeTakeFirstOrThrow()).used_at ?? 0
  const recipients = [{ to: '+4915112345678', country: 'DE', way: written.id }]
  await house.sendOne({ recipients, ways: [written], expiresAt: house.clock.now() + 3 * dayMs })
  const before = await usedAt()
  house.clock.jumpWallClock(dayMs + 1)
  await house.report('undelivered')
  await house.follow()
  expect(await house.messages()).toHaveLength(2)
  expect(await usedAt()).toBeGreaterThan(before + dayMs)
})

test('nothing follows a message that is unconfirmed, whose receipt is missing, that arrived, or that was not to be followed', async () => {
  const lost = await openHouse()
  await lost.sendOne()
  await lost.report('lost')
  await lost.follow()
  expect(await lost.messages()).toMatchObject([{ status: 'unconfirmed' }])
  const silent = await openHouse()
  await silent.sendOne()
  silent.clock.jumpWallClock(80 * 3_600_000)
  await silent.follow()
  expect(await silent.messages()).toHaveLength(1)
  const arrived = await openHouse()
  await arrived.sendOne()
  await arrived.report('delivered')
  await arrived.follow()
  expect(await arrived.followers()).toMatchObject([{ state: 'armed' }])
  const plain = await openHouse()
  await plain.send()
  await plain.dispatcher.drain()
  await plain.report('undelivered')
  await plain.follow()
  expect([await plain.messages(), await plain.followers()]).toMatchObject([[{ status: 'undelivered' }], []])
}) // prettier-ignore

test('a correction, the end of the validity, an erased text or a balance that is used up leaves a message without a follower', async () => {
  const reasonOf = async (change: (house: Awaited<ReturnType<typeof openHouse>>) => Promise<unknown>) => {
    const house = await openHouse()
    await house.sendOne()
    await house.report('undelivered')
    await change(house)
    await house.follow()
    expect(await house.messages()).toHaveLength(1)
    const [row] = await house.followers()
    return [row?.state, row?.reason]
  }
  const set = (values: object) => (house: Awaited<ReturnType<typeof openHouse>>) =>
    house.storage.writer.write((tx) => tx.updateTable('messages').set(values).execute())
  expect(await reasonOf(set({ status: 'delivered' }))).toEqual(['none', 'corrected'])
  expect(await reasonOf(async ({ clock }) => clock.jumpWallClock(25 * 3_600_000))).toEqual(['none', 'expired'])
  expect(await reasonOf(set({ text: null }))).toEqual(['none', 'text_erased'])
  const spend = { reserved: 999 }
  const spent = (house: Awaited<ReturnType<typeof openHouse>>) =>
    house.storage.writer.write((tx) => tx.updateTable('wallets').set(spend).where('mode', '=', 'live').execute())
  expect(await reasonOf(spent)).toEqual(['none', 'insufficient_balance'])
  // What was followed after a backup must not be followed again.
  expect(await reasonOf((house) => house.storage.writer.write((tx) => holdAll(tx)))).toEqual(['none', 'restored'])
}) // prettier-ignore

test('a follower never goes over the device that took the first one: it waits for another, is canceled there, or is not sent', async () => {
  const house = await openHouse({ offline: 'true' })
  await house.sendOne()
  await house.report('undelivered')
  await house.follow()
  const [, second] = await house.messages()
  expect(second).toMatchObject({ status: 'queued', device_id: null })
  const key = { accountId: 'acc_a', mode: 'live', messageId: second?.id ?? '' } as const
  await house.storage.writer.write(async (tx) =>
    cancelMessages(tx, await takeChange(tx, house.clock.now()), [key], 'canceled_by_user'),
  )
  expect(await house.storage.read.selectFrom('queue').selectAll().execute()).toEqual([])
  await expectSums(house.storage.read, house.clock.now())
  const alone = await openHouse()
  await alone.storage.writer.write((tx) => tx.updateTable('devices').set({ state: 'disabled' }).where('id', '=', 'dev_b').execute())
  await alone.storage.writer.write((tx) => tx.updateTable('instance').set({ directory_version: 99 }).execute())
  await alone.pool.reloadIfChanged()
  await alone.sendOne()
  await alone.report('undelivered')
  await alone.follow()
  expect(await alone.followers()).toMatchObject([{ state: 'none', reason: 'no_other_device' }])
}) // prettier-ignore

test('the rest of a way may be a device that this node does not know yet', async () => {
  const house = await openHouse()
  await house.sendOne()
  await house.report('undelivered')
  await house.senderWith({ pool: { candidates: function* () {} } }).sweepAll()
  expect(await house.followers()).toMatchObject([{ state: 'followed' }])
})

test('a follower that cannot be stored keeps no other one waiting, and is sent a minute later', async () => {
  const house = await openHouse()
  await house.sendOne()
  await house.sendOne()
  for (const { id, device_id } of await house.attempts())
    await house.dispatcher.receipt(device_id, { networkId: id, result: 'undelivered', code: 'unreachable', networkCode: null })
  const { writer } = house.storage
  const failing = (await house.followers())[0]?.message_id
  const write: typeof writer.write = (unit) =>
    writer.write(async (tx) => {
      const made = await unit(tx)
      const row = await tx.selectFrom('followers').select('state').where('message_id', '=', failing ?? '').executeTakeFirst()
      if (row?.state === 'followed' && !isMended) throw new Error('a row that is refused')
      return made
    })
  let isMended = false
  const sender = house.senderWith({ writer: Object.assign(Object.create(writer) as typeof writer, { write }) })
  const states = async () => (await house.followers()).map(({ state }) => state).toSorted()
  await sender.sweepAll()
  expect(await states()).toEqual(['due', 'followed'])
  isMended = true
  await sender.sweepAll()
  expect(await states()).toEqual(['due', 'followed'])
  await house.clock.advance(60_000)
  await sender.sweepAll()
  expect(await states()).toEqual(['followed', 'followed'])
}) // prettier-ignore

test('a follower goes the rest of the way that a rule gave the first one, without a wait for what took it, and ends where the way does', async () => {
  const house = await openHouse()
  const { storage, pool, ids, clock } = house
  const stages = readWay('dev_a; dev_b offline=never after=5m')
  const rule = { accountId: null, name: 'a, then b', conditions: {}, stages, actor: 'test' }
  await storage.writer.write((tx) => addRule(tx, { ids, nowMs: clock.now() }, rule))
  await pool.reloadIfChanged()
  const [to] = house.request().recipients.map((recipient) => ({ ...recipient, from: null, category: 'transactional', encoding: 'gsm7', parts: 1 }) as const)
  const { name, written } = pool.routes.resolve(pool.routes.choose({ ...to!, accountId: 'acc_a', mode: 'live' }), 'acc_a', 'msg')
  await house.sendOne({ recipients: [{ to: to!.to, country: to!.country, way: name ?? '' }], ways: [written!] })
  await house.report('undelivered')
  await house.follow()
  const ways = await storage.read.selectFrom('messages').select('way').execute()
  expect(ways).toEqual([{ way: name }, { way: name }])
  expect(await house.messages()).toMatchObject([{ status: 'undelivered', device_id: 'dev_a' }, { status: 'sent', device_id: 'dev_b' }])
  const via = await openHouse()
  await via.sendOne({ recipients: [{ to: to!.to, country: to!.country, way: 'dev_a' }] })
  await via.report('undelivered')
  await via.follow()
  expect([await via.messages(), await via.followers()]).toMatchObject([[{ status: 'undelivered' }], [{ state: 'none', reason: 'no_other_device' }]])
}) // prettier-ignore
