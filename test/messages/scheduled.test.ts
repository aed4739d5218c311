import { afterEach, beforeEach, expect, test } from 'vitest'
import { cancelMessages } from '../../src/messages/cancel-messages.ts'
import { moveMessages } from '../../src/messages/move-messages.ts'
import { sendMessages } from '../../src/messages/send-messages.ts'
import { readMessageStory } from '../../src/messages/message-story.ts'
import { readDevicesStatus } from '../../src/devices/device-status.ts'
import { setCountries } from '../../src/accounts/account-guard.ts'
import { setAccountState } from '../../src/accounts/accounts.ts'
import { cancelForClosing } from '../../src/messages/cancel-for-closing.ts'
import { advanceEpoch, epochFile, releaseHeld } from '../../src/storage/epoch.ts'
import { endHeld } from '../../src/cli/message-ports.ts'
import { writeFile } from 'node:fs/promises'
import { expectSums } from './expect-sums.ts'
import { openTendedHouse, type TendedHouse } from './tended-house.ts'

let house: TendedHouse
let releaser: ReturnType<TendedHouse['janitors']>['dueReleaser']
let expirer: ReturnType<TendedHouse['janitors']>['expirer']
beforeEach(async () => {
  house = await openTendedHouse()
  ;({ dueReleaser: releaser, expirer } = house.janitors())
})
afterEach(() => house.close())

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const owner = { accountId: 'acc_a', mode: 'live' } as const
const sums = () => expectSums(house.storage.read, house.clock.now())
const later = (afterMs: number, more: object = {}) => {
  const sendAt = house.clock.now() + afterMs
  return house.send({ sendAt, expiresAt: sendAt + dayMs, ...more })
}
const settle = async () => {
  await releaser.sweepAll()
  await house.dispatcher.drain()
}

test('a scheduled message holds its SMS, is counted apart, and goes at its time and not before', async () => {
  await house.addDevice('dev_s')
  await later(hourMs, { parts: 2 })
  expect(await house.message()).toMatchObject({ status: 'scheduled', held: 2, cost_state: 'held' })
  expect(await house.wallet()).toMatchObject({ reserved: 2 })
  const { queue } = await readDevicesStatus(house.storage.read, owner, house.clock.now())
  expect(queue).toMatchObject({ messages: 0, parts: 0, scheduledMessages: 1, oldestQueuedAtMs: null })
  await sums()

  house.clock.jumpWallClock(hourMs - 1)
  await settle()
  expect(await house.statuses()).toEqual(['scheduled'])
  house.clock.jumpWallClock(1)
  await settle()
  expect(await house.message()).toMatchObject({ status: 'sent', attempts: 1, charged: 2 })
  const { queue: after } = await readDevicesStatus(house.storage.read, owner, house.clock.now())
  expect(after).toMatchObject({ messages: 0, scheduledMessages: 0 })
  await sums()
})

test('a country that the account may not write to any more is judged when the time comes, and costs nothing', async () => {
  await house.addDevice('dev_s')
  const allow = (countries: string[] | null) =>
    house.storage.writer.write(
      (tx) =>
      setCountries(tx, { ids: house.ids, nowMs: house.clock.now() }, { accountId: 'acc_a', countries, actor: 'test' }), // prettier-ignore
    )
  await allow(['DE', 'FR'])
  const french = [{ to: '+33612345678', country: 'FR' }]
  await later(hourMs, { recipients: french })
  await later(hourMs)
  await later(hourMs, { recipients: [{ to: '+15005550002', country: null }] })
  await allow(['DE'])
  house.clock.jumpWallClock(hourMs)
  await settle()
  const rows = house.storage.read
    .selectFrom('messages')
    .select(['recipient', 'status', 'error_code', 'cost_state'])
    .where('status', '=', 'canceled')
  expect(await rows.execute()).toEqual([
    {
      recipient: '+33612345678',
      status: 'canceled',
      error_code: 'destination_not_allowed',
      cost_state: 'released',
    },
  ])
  expect(await house.storage.read.selectFrom('deferred').selectAll().execute()).toEqual([])
  expect((await house.statuses()).toSorted()).toEqual(['canceled', 'sent', 'sent'])
  await sums()
})

test('it is handed over within 2 s of its time, by the poll alone', async () => {
  await house.addDevice('dev_s')
  await later(10_000)
  await releaser.start()
  for (let elapsedMs = 0; elapsedMs < 11_500; elapsedMs += 250) {
    await house.clock.advance(250)
    // The database works in a thread of its own, which no clock moves: what was asked of it before is answered before.
    for (let turn = 0; turn < 20; turn++) await house.statuses()
  }
  await releaser.stop()
  await house.dispatcher.drain()
  const { sent_at, send_at, status } = await house.message()
  expect(status).toBe('sent')
  expect(sent_at! - send_at!).toBeGreaterThanOrEqual(0)
  expect(sent_at! - send_at!).toBeLessThanOrEqual(2_000)
})

test('the timeline shows when it was scheduled and when it began to wait for a device', async () => {
  await house.addDevice('dev_s')
  const acceptedAt = house.clock.now()
  await later(hourMs)
  const { id } = await house.message()
  const before = await readMessageStory(house.storage.read, owner, id)
  expect(before?.timeline.map(({ status, atMs }) => [status, atMs])).toEqual([['scheduled', acceptedAt]])
  expect(before?.dueAtMs).toBe(acceptedAt + hourMs)
  house.clock.jumpWallClock(hourMs)
  await settle()
  const story = await readMessageStory(house.storage.read, owner, id)
  expect(story?.timeline.slice(0, 2).map(({ status, atMs }) => [status, atMs])).toEqual([
    ['scheduled', acceptedAt],
    ['queued', acceptedAt + hourMs],
  ])
})

test('it goes at its time of day, whichever way the wall clock steps meanwhile', async () => {
  await house.addDevice('dev_s')
  await later(hourMs)
  house.clock.jumpWallClock(-3 * hourMs)
  await settle()
  await house.clock.advance(2 * hourMs)
  await settle()
  expect(await house.statuses()).toEqual(['scheduled'])
  await house.clock.advance(2 * hourMs)
  await settle()
  expect(await house.statuses()).toEqual(['sent'])
  await later(hourMs)
  house.clock.jumpWallClock(2 * hourMs)
  await settle()
  expect(await house.statuses()).toEqual(['sent', 'sent'])
  await sums()
})

test('what expired while nobody ran ends as expired, and is never sent late', async () => {
  await later(hourMs)
  house.clock.jumpWallClock(hourMs + dayMs)
  await house.addDevice('dev_s')
  await settle()
  expect(await house.message()).toMatchObject({
    status: 'expired',
    error_code: 'expired_in_queue',
    cost_state: 'released',
  })
  expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
  await sums()
})

test('once it waits for a device it expires like any other', async () => {
  await later(hourMs, { expiresAt: house.clock.now() + hourMs + 60_000 })
  house.clock.jumpWallClock(hourMs)
  await settle()
  expect(await house.statuses()).toEqual(['queued'])
  house.clock.jumpWallClock(60_000)
  await expirer.sweepAll()
  expect(await house.statuses()).toEqual(['expired'])
  await sums()
})

test('scheduled messages count towards the limit of what may wait', async () => {
  await later(hourMs, { queueLimit: 2 })
  await house.send({ queueLimit: 2 })
  expect(await house.send({ queueLimit: 2 })).toMatchObject({ kind: 'refused', code: 'queue_full' })
})

test('many fall due at once, in pages, and each page keeps the sums', async () => {
  await house.addDevice('dev_s')
  const to = Array.from({ length: 100 }, (_, i) => `+49151${20_000_000 + i}`)
  for (let i = 0; i < 7; i++) await later(hourMs, { to })
  house.clock.jumpWallClock(hourMs)
  await releaser.sweepAll()
  await sums()
  await house.dispatcher.drain()
  expect(new Set(await house.statuses())).toEqual(new Set(['sent']))
  await sums()
})

test('closing the account cancels what is scheduled; suspending it keeps it', async () => {
  await house.addDevice('dev_s')
  await later(hourMs)
  const set = (state: 'suspended' | 'closed') =>
    house.storage.writer.write((tx) =>
      setAccountState(
        tx,
        {
          ids: house.ids,
          nowMs: house.clock.now(),
          cancelWaiting: (inTx, id) => cancelForClosing(inTx, id, house.clock.now()),
        },
        { accountId: 'acc_a', state, actor: 'test' },
      ),
    )
  await set('suspended')
  expect(await house.statuses()).toEqual(['scheduled'])
  await set('closed')
  expect(await house.message()).toMatchObject({ status: 'canceled', error_code: 'account_closed' })
  await sums()
})

test('a restore holds what is scheduled, whatever its time, until somebody decides', async () => {
  await house.addDevice('dev_s')
  await later(hourMs)
  await later(2 * hourMs)
  await writeFile(epochFile(house.dataFolder), '9\n')
  const { restored, heldMessages } = await advanceEpoch(house.storage, house.dataFolder, house.clock.now())
  expect([restored, heldMessages]).toEqual([true, 2])
  await later(60_000)
  house.clock.jumpWallClock(hourMs)
  await settle()
  expect(await house.statuses()).toEqual(['scheduled', 'scheduled', 'sent'])
  expect(await house.storage.writer.write(releaseHeld)).toBe(2)
  await settle()
  expect(await house.statuses()).toEqual(['sent', 'scheduled', 'sent'])
  await house.storage.writer.write((tx) => tx.updateTable('deferred').set({ restore_hold: 1 }).execute())
  expect(await endHeld(house.storage, 'settle', () => house.clock.now())).toBe(1)
  expect(await house.statuses()).toEqual(['sent', 'unconfirmed', 'sent'])
  await sums()
})

test('moved earlier or later, it goes at its new time and lives as long from then', async () => {
  await house.addDevice('dev_s')
  const begin = house.clock.now()
  await later(hourMs)
  const { id, sequence } = await house.message()
  const moveTo = (sendAtMs: number) =>
    house.storage.writer.write((tx) =>
      moveMessages(tx, [{ ...owner, messageId: id }], { sendAtMs, nowMs: house.clock.now() }),
    )
  expect(await moveTo(begin + 2 * hourMs)).toEqual([
    { messageId: id, result: 'moved', status: 'scheduled', sendAtMs: begin + 2 * hourMs },
  ])
  expect(await house.message()).toMatchObject({
    expires_at: begin + 2 * hourMs + dayMs,
    sequence: sequence + 1,
  })
  await sums()
  house.clock.jumpWallClock(hourMs)
  await settle()
  expect(await house.statuses()).toEqual(['scheduled'])
  // A time that has passed means at once.
  expect(await moveTo(begin)).toMatchObject([{ result: 'moved', sendAtMs: begin + hourMs }])
  await settle()
  expect(await house.statuses()).toEqual(['sent'])
  expect(await moveTo(begin + 3 * hourMs)).toMatchObject([{ result: 'too_late', status: 'sent' }])
  expect(await house.message()).toMatchObject({ status: 'sent', send_at: begin + hourMs })
  await sums()
})

test('a canceled one gives its SMS back and never goes; of another account it is not found', async () => {
  await house.addDevice('dev_s')
  await later(hourMs)
  const { id } = await house.message()
  const cancel = (accountId: string) =>
    house.storage.writer.write((tx) =>
      cancelMessages(tx, [{ ...owner, accountId, messageId: id }], {
        code: 'canceled_by_user',
        nowMs: house.clock.now(),
      }),
    )
  expect(await cancel('acc_b')).toMatchObject([{ result: 'not_found' }])
  expect(await cancel('acc_a')).toMatchObject([{ result: 'canceled', status: 'canceled' }])
  expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
  await sums()
  house.clock.jumpWallClock(hourMs)
  await settle()
  expect(await house.message()).toMatchObject({ status: 'canceled', attempts: 0 })
  expect(await cancel('acc_a')).toMatchObject([{ result: 'too_late' }])
  await sums()
})

test('canceled or moved in the moment in which its time comes, it is either canceled or moved and not handed over, or handed over', async () => {
  await house.addDevice('dev_s')
  const rounds = 40
  const to = Array.from({ length: 12 }, (_, i) => `+49151${20_000_000 + i}`)
  const tally = { canceled: 0, moved: 0, handedOver: 0 }
  for (let round = 0; round < rounds; round++) {
    const sendAt = house.clock.now() + 1_000
    const send = house.request({ to, sendAt, expiresAt: sendAt + dayMs })
    await house.storage.writer.write((tx) => sendMessages(tx, [send]))
    house.clock.jumpWallClock(999)
    const nowMs = sendAt
    const ends: Promise<{ messageId: string; result: string }[]>[] = []
    const wishes = send.messageIds.map((messageId, i) => () => {
      const keys = [{ ...owner, messageId }]
      const unit =
        i % 3 === 0
          ? house.storage.writer.write((tx) => moveMessages(tx, keys, { sendAtMs: sendAt + dayMs, nowMs }))
          : house.storage.writer.write((tx) => cancelMessages(tx, keys, { code: 'canceled_by_user', nowMs }))
      ends.push(unit)
    })
    const early = round % (wishes.length + 1)
    for (const wish of wishes.slice(0, early)) wish()
    house.clock.jumpWallClock(1)
    const released = releaser.sweepAll().then(() => house.dispatcher.drain())
    // So that some are too late however slow the machine is.
    if (round % 4 === 3) await released
    for (const wish of wishes.slice(early)) {
      // The event loop decides who comes first.
      await new Promise((resolve) => setImmediate(resolve))
      wish()
    }
    const answers = (await Promise.all(ends)).flat()
    await released
    await settle()
    const rows = await house.storage.read
      .selectFrom('messages')
      .select(['id', 'status', 'attempts'])
      .where('send_id', '=', send.sendId)
      .execute()
    const now = new Map(rows.map((row) => [row.id, row]))
    for (const { messageId, result } of answers) {
      const { status, attempts } = now.get(messageId)!
      const said = result === 'too_late' ? 'handedOver' : (result as 'canceled' | 'moved')
      tally[said] += 1
      const expected = {
        handedOver: { status: 'sent', attempts: 1 },
        canceled: { status: 'canceled', attempts: 0 },
        moved: { status: 'scheduled', attempts: 0 },
      }[said]
      expect({ status, attempts }).toEqual(expected)
    }
  }
  await sums()
  // Each of the three ends was raced for.
  for (const count of Object.values(tally)) expect(count).toBeGreaterThan(10)
})

test('of several nodes that look at once each message joins the queue once', async () => {
  const to = Array.from({ length: 60 }, (_, i) => `+49151${20_000_000 + i}`)
  for (let i = 0; i < 5; i++) await later(hourMs, { to })
  house.clock.jumpWallClock(hourMs)
  const nodes = [releaser, house.janitors().dueReleaser, house.janitors().dueReleaser]
  await Promise.all(nodes.map((node) => node.sweepAll()))
  expect(await house.storage.read.selectFrom('queue').select('message_id').execute()).toHaveLength(300)
  expect(await house.storage.read.selectFrom('deferred').select('message_id').execute()).toEqual([])
  await sums()
})
