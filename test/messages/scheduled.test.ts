import { afterEach, beforeEach, expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import { readMessageDetails } from '../../src/messages/history/message-details.ts'
import { readDevicesStatus } from '../../src/devices/status/device-status.ts'
import { setCountries } from '../../src/accounts/core/account-guard.ts'
import { openScheduledHouse, owner, type ScheduledHouse } from './scheduled-house.ts'

let house: ScheduledHouse
beforeEach(async () => {
  house = await openScheduledHouse()
})
afterEach(() => house.close())

const hourMs = 3_600_000

test('a scheduled message holds its SMS, is counted apart, and goes at its time and not before', async () => {
  await house.addDevice('dev_s')
  await house.later(hourMs, { parts: 2 })
  expect(await house.message()).toMatchObject({ status: 'scheduled', held: 2, cost_state: 'held' })
  expect(await house.wallet()).toMatchObject({ reserved: 2 })
  const { queue } = await readDevicesStatus(house.storage.read, owner, house.clock.now())
  expect(queue).toMatchObject({ messages: 0, parts: 0, scheduledMessages: 1, oldestQueuedAtMs: null })
  await house.sums()

  house.clock.jumpWallClock(hourMs - 1)
  await house.settle()
  expect(await house.statuses()).toEqual(['scheduled'])
  house.clock.jumpWallClock(1)
  await house.settle()
  expect(await house.message()).toMatchObject({ status: 'sent', attempts: 1, charged: 2 })
  const { queue: after } = await readDevicesStatus(house.storage.read, owner, house.clock.now())
  expect(after).toMatchObject({ messages: 0, scheduledMessages: 0 })
  await house.sums()
})

test('a country that the account may not write to any more is judged when the time comes, and costs nothing', async () => {
  await house.addDevice('dev_s')
  const allow = (countries: string[] | null) =>
    house.storage.writer.write((tx) =>
      setCountries(
        tx,
        { ids: house.ids, nowMs: house.clock.now() },
        { accountId: 'acc_a', countries, actor: 'test' },
      ),
    )
  await allow(['DE', 'FR'])
  const french = [{ to: '+33612345678', country: 'FR' }]
  await house.later(hourMs, { recipients: french })
  await house.later(hourMs)
  await house.later(hourMs, { recipients: [{ to: '+15005550002', country: null }] })
  await allow(['DE'])
  house.clock.jumpWallClock(hourMs)
  await house.settle()
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
  await house.sums()
})

test('it is handed over within 2 s of its time, by the poll alone', async () => {
  await house.addDevice('dev_s')
  await house.later(10_000)
  await house.releaser.start()
  for (let elapsedMs = 0; elapsedMs < 11_500; elapsedMs += 250) {
    await house.clock.advance(250)
    // The database works in a thread of its own, which no clock moves: what was asked of it before is answered before.
    for (let turn = 0; turn < 20; turn++) await house.statuses()
  }
  await house.releaser.stop()
  await house.dispatcher.drain()
  const { sent_at, send_at, status } = await house.message()
  expect(status).toBe('sent')
  expect(sent_at! - send_at!).toBeGreaterThanOrEqual(0)
  expect(sent_at! - send_at!).toBeLessThanOrEqual(2_000)
})

test('the timeline shows when it was scheduled and when it began to wait for a device', async () => {
  await house.addDevice('dev_s')
  const acceptedAt = house.clock.now()
  await house.later(hourMs)
  const { id } = await house.message()
  const before = await readMessageDetails(house.storage.read, owner, id)
  expect(before?.timeline.map(({ status, atMs }) => [status, atMs])).toEqual([['scheduled', acceptedAt]])
  expect(before?.dueAtMs).toBe(acceptedAt + hourMs)
  house.clock.jumpWallClock(hourMs)
  await house.settle()
  const story = await readMessageDetails(house.storage.read, owner, id)
  expect(story?.timeline.slice(0, 2).map(({ status, atMs }) => [status, atMs])).toEqual([
    ['scheduled', acceptedAt],
    ['queued', acceptedAt + hourMs],
  ])
})

test('it goes at its time of day, whichever way the wall clock steps meanwhile', async () => {
  await house.addDevice('dev_s')
  await house.later(hourMs)
  house.clock.jumpWallClock(-3 * hourMs)
  await house.settle()
  await house.clock.advance(2 * hourMs)
  await house.settle()
  expect(await house.statuses()).toEqual(['scheduled'])
  await house.clock.advance(2 * hourMs)
  await house.settle()
  expect(await house.statuses()).toEqual(['sent'])
  await house.later(hourMs)
  house.clock.jumpWallClock(2 * hourMs)
  await house.settle()
  expect(await house.statuses()).toEqual(['sent', 'sent'])
  await house.sums()
})

test('what expired while nobody ran ends as expired, and is never sent late', async () => {
  await house.later(hourMs)
  house.clock.jumpWallClock(hourMs + dayMs)
  await house.addDevice('dev_s')
  await house.settle()
  expect(await house.message()).toMatchObject({
    status: 'expired',
    error_code: 'expired_in_queue',
    cost_state: 'released',
  })
  expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
  await house.sums()
})

test('once it waits for a device it expires like any other', async () => {
  await house.later(hourMs, { expiresAt: house.clock.now() + hourMs + 60_000 })
  house.clock.jumpWallClock(hourMs)
  await house.settle()
  expect(await house.statuses()).toEqual(['queued'])
  house.clock.jumpWallClock(60_000)
  await house.expirer.sweepAll()
  expect(await house.statuses()).toEqual(['expired'])
  await house.sums()
})

test('scheduled messages count towards the limit of what may wait', async () => {
  await house.later(hourMs, { queueLimit: 2 })
  await house.send({ queueLimit: 2 })
  expect(await house.send({ queueLimit: 2 })).toMatchObject({ kind: 'refused', code: 'queue_full' })
})

test('many fall due at once, in pages, and each page keeps the sums', async () => {
  await house.addDevice('dev_s')
  const to = Array.from({ length: 100 }, (_, i) => `+49151${20_000_000 + i}`)
  for (let i = 0; i < 7; i++) await house.later(hourMs, { to })
  house.clock.jumpWallClock(hourMs)
  await house.releaser.sweepAll()
  await house.sums()
  await house.dispatcher.drain()
  expect(new Set(await house.statuses())).toEqual(new Set(['sent']))
  await house.sums()
})

test('of several nodes that look at once each message joins the queue once', async () => {
  const to = Array.from({ length: 60 }, (_, i) => `+49151${20_000_000 + i}`)
  for (let i = 0; i < 5; i++) await house.later(hourMs, { to })
  house.clock.jumpWallClock(hourMs)
  const nodes = [house.releaser, house.janitors().dueReleaser, house.janitors().dueReleaser]
  await Promise.all(nodes.map((node) => node.sweepAll()))
  expect(await house.storage.read.selectFrom('queue').select('message_id').execute()).toHaveLength(300)
  expect(await house.storage.read.selectFrom('deferred').select('message_id').execute()).toEqual([])
  await house.sums()
})
