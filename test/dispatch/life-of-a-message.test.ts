import { afterEach, beforeEach, expect, test } from 'vitest'
import { openMessagesFixture, type MessagesFixture } from '../messages-fixture.ts'

let house: MessagesFixture
beforeEach(async () => {
  house = await openMessagesFixture()
  await house.addAccount('acc_a', 10)
})
afterEach(() => house.close())

const wallet = async () =>
  house.storage.read
    .selectFrom('wallets')
    .select(['granted', 'reserved', 'used'])
    .where('account_id', '=', 'acc_a')
    .where('mode', '=', 'live')
    .executeTakeFirstOrThrow()
const countOf = async (table: 'queue' | 'receipts_expected' | 'attempts' | 'usage_days') =>
  (await house.storage.read.selectFrom(table).selectAll().execute()).length

test('a message is held, handed over, charged when sent, and delivered by its receipt', async () => {
  await house.addDevice('dev_s')
  expect(await house.send({ parts: 3 })).toMatchObject({ kind: 'accepted', balanceAvailable: 7 })
  expect(await wallet()).toEqual({ granted: 10, reserved: 3, used: 0 })
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sent'])
  expect(await wallet()).toEqual({ granted: 10, reserved: 0, used: 3 })
  expect(await countOf('queue')).toBe(0)
  await house.clock.advance(3_000)
  await house.storage.writer.drain()
  await expect.poll(() => house.statuses()).toEqual(['delivered'])
  expect(await countOf('receipts_expected')).toBe(0)
  expect(await wallet()).toEqual({ granted: 10, reserved: 0, used: 3 })
})

test('without a device a message waits, and goes as soon as one is there', async () => {
  await house.send()
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['queued'])
  await house.addDevice('dev_s')
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sent'])
})
