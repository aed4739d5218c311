import { afterEach, beforeEach, expect, test } from 'vitest'
import { readMessageStory } from '../../src/messages/message-story.ts'
import { readDevicesStatus } from '../../src/devices/device-status.ts'
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
