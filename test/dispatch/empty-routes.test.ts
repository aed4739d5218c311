import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openMessagesFixture, type MessagesFixture } from '../messages-fixture.ts'

let house: MessagesFixture
beforeEach(async () => {
  house = await openMessagesFixture()
  await house.addAccount('acc_a', 1_000)
})
afterEach(() => house.close())

const senders = Array.from({ length: 40 }, (_, i) => `Shop ${i}`)

test('routes on which nothing waits any more are forgotten: idle rounds ask the database for nothing', async () => {
  await house.addDevice('dev_s', { senders: ['*'], settings: { drop_receipts: 'true' } })
  for (const from of senders) await house.send({ from })
  await house.dispatcher.drain()
  expect(new Set(await house.statuses())).toEqual(new Set(['sent']))
  const written = vi.spyOn(house.storage.writer, 'write')
  for (let i = 0; i < 5; i++) {
    house.dispatcher.nudge()
    await house.dispatcher.drain()
  }
  expect(written).not.toHaveBeenCalled()
})

test('so are routes that no device serves; they are found again when one does', async () => {
  for (const from of senders) await house.send({ from })
  await house.dispatcher.drain()
  const written = vi.spyOn(house.storage.writer, 'write')
  house.dispatcher.nudge()
  await house.dispatcher.drain()
  expect(written).not.toHaveBeenCalled()
  await house.addDevice('dev_s', { senders: ['*'] })
  await house.dispatcher.drain()
  expect(new Set(await house.statuses())).toEqual(new Set(['sent']))
})
