import { afterEach, beforeEach, expect, test } from 'vitest'
import { openMessagesFixture, type MessagesFixture } from '../messages-fixture.ts'

let house: MessagesFixture
beforeEach(async () => {
  house = await openMessagesFixture()
  await house.addAccount('acc_a', 100)
})
afterEach(() => house.close())

const hourMs = 3_600_000
const message = () =>
  house.storage.read
    .selectFrom('messages')
    .select(['status', 'attempts'])
    .orderBy('id')
    .executeTakeFirstOrThrow()

test('what was accepted before the wall clock stepped back goes at once, and so does what is accepted after', async () => {
  await house.send()
  house.clock.jumpWallClock(-hourMs)
  await house.addDevice('dev_s')
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sent'])
  await house.send()
  await house.dispatcher.drain()
  house.clock.jumpWallClock(-72 * hourMs)
  await house.send()
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sent', 'sent', 'sent'])
})

test('so does what was accepted while the wall clock was ahead and no device was there', async () => {
  house.clock.jumpWallClock(hourMs)
  await house.send()
  // The next poll has its timer then.
  await house.dispatcher.drain()
  await house.clock.advance(500)
  house.clock.jumpWallClock(-hourMs)
  await house.addDevice('dev_s')
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sent'])
})

test('back-offs last as long as they should, whichever way the wall clock steps meanwhile', async () => {
  await house.addDevice('dev_s', { settings: { refuse: 'now' } })
  await house.send()
  await house.dispatcher.drain()
  house.clock.jumpWallClock(-hourMs)
  await house.clock.advance(14_000)
  await house.dispatcher.drain()
  expect(await message()).toEqual({ status: 'queued', attempts: 1 })
  await house.clock.advance(1_000)
  await house.dispatcher.drain()
  expect(await message()).toEqual({ status: 'queued', attempts: 2 })
  await house.clock.advance(59_000)
  await house.dispatcher.drain()
  expect(await message()).toEqual({ status: 'queued', attempts: 2 })
  await house.clock.advance(1_000)
  await house.dispatcher.drain()
  expect(await message()).toEqual({ status: 'failed', attempts: 3 })
})

test('a process that starts after the wall clock stepped back finds what was accepted before', async () => {
  await house.send({ category: 'marketing' })
  await house.send({ category: 'authentication' })
  await house.dispatcher.stop()
  house.clock.jumpWallClock(-hourMs)
  await house.dispatcher.start()
  await house.addDevice('dev_s')
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sent', 'sent'])
})

test('a process that starts in the middle of a back-off waits for its end', async () => {
  await house.addDevice('dev_s', { settings: { refuse: 'now' } })
  await house.send()
  await house.dispatcher.drain()
  await house.dispatcher.stop()
  await house.dispatcher.start()
  await house.clock.advance(14_000)
  await house.dispatcher.drain()
  expect(await message()).toEqual({ status: 'queued', attempts: 1 })
  await house.clock.advance(1_000)
  await house.dispatcher.drain()
  expect(await message()).toEqual({ status: 'queued', attempts: 2 })
})

test('the validity ends by the wall clock, as it was promised: nothing goes after it, wherever the clock has been', async () => {
  await house.send({ expiresAt: house.clock.now() + hourMs })
  house.clock.jumpWallClock(-hourMs)
  house.clock.jumpWallClock(2 * hourMs)
  await house.addDevice('dev_s')
  await house.dispatcher.drain()
  expect(await message()).toEqual({ status: 'queued', attempts: 0 })
})
