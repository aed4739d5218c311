import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Receipt } from '../../src/connectors/connector.ts'
import { closeReceipts } from '../../src/messages/outcomes/close-receipts.ts'
import type { ReceiptWord } from '../../src/messages/outcomes/receipt-readings.ts'
import { settleReceipts } from '../../src/messages/outcomes/settle-receipts.ts'
import type { SetAdapter } from '../../src/storage/seam/dialect.ts'
import { type UnitHouse, openUnitHouse } from './unit-house.ts'
import { accepted } from './outcomes.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { readShown } from './shown-messages.ts'

let house: UnitHouse
beforeEach(async () => {
  house = await openUnitHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

const minuteMs = 60_000

const wordOf = (networkId: string, more: Partial<Receipt>): ReceiptWord => ({
  networkId,
  result: 'delivered',
  code: null,
  networkCode: null,
  ...more,
  deviceId: 'dev_s',
  atMs: house.clock.now(),
})
async function receive(networkId: string, more: Partial<Receipt> = {}): Promise<void> {
  await house.store.writer.write((tx) =>
    settleReceipts(tx, [wordOf(networkId, more)], takeChange(tx, house.clock.now())),
  )
}
const parked = async () =>
  (await house.store.db.selectFrom('parked_receipts').select('network_id').orderBy('reading').execute()).map(
    (row) => row.network_id,
  )
const statuses = async () => (await readShown(house.store.db)).map(({ status }) => status)

/** How many statements it takes to receive one. */
async function countStatements(networkId: string, more: Partial<Receipt>): Promise<number> {
  const word = wordOf(networkId, more)
  return house.store.writer.write(async (tx) => {
    const unit = await takeChange(tx, house.clock.now())
    const { sets } = tx.getExecutor().adapter as SetAdapter
    const selectEach = vi.spyOn(sets, 'selectEach')
    await settleReceipts(tx, [word], Promise.resolve(unit))
    const { length } = selectEach.mock.calls
    selectEach.mockRestore()
    return length
  })
}

test('a receipt is found by another reading of its id when nobody waits for the first', async () => {
  await house.send()
  await house.end(await house.claim(), accepted('1f'))
  await receive('31', { alternatives: ['nobody', '1f'] })
  expect(await house.message()).toMatchObject({ status: 'delivered' })
  expect(await parked()).toEqual([])
})

test('the id as it came goes before every other reading, and readings in their order', async () => {
  for (const id of ['10', 'a', '16']) {
    await house.send()
    await house.end(await house.claim(), accepted(id))
  }
  await receive('10', { alternatives: ['a', '16'] })
  expect(await statuses()).toEqual(['delivered', 'sent', 'sent'])
  await receive('x', { alternatives: ['16', 'a'] })
  expect(await statuses()).toEqual(['delivered', 'sent', 'delivered'])
})

test('a receipt that overtakes its answer is found by any of its readings, once', async () => {
  await receive('31', { alternatives: ['1f', '49'] })
  expect(await parked()).toEqual(['31', '1f', '49'])
  await house.send()
  await house.end(await house.claim(), accepted('1f'))
  expect(await statuses()).toEqual(['delivered'])
  expect(await parked()).toEqual([])
  for (const id of ['31', '49']) {
    await house.send()
    await house.end(await house.claim(), accepted(id))
  }
  expect(await statuses()).toEqual(['delivered', 'sent', 'sent'])
})

test('a receipt that came before its message was handed over is not about it: the network has used the id again', async () => {
  await receive('n1', { numbers: ['4915112345678'] })
  house.clock.jumpWallClock(4 * minuteMs)
  await house.send()
  await house.end(await house.claim(), accepted('n1'))
  expect(await statuses()).toEqual(['sent'])
  expect(await parked()).toEqual(['n1'])
  await receive('n1', { numbers: ['4915112345678'] })
  expect(await statuses()).toEqual(['delivered'])
})

test('a receipt that came during a long hand-over is found, and one of an hour before that had its id is not in its way', async () => {
  await receive('n1', { result: 'undelivered' })
  house.clock.jumpWallClock(60 * minuteMs)
  await house.send()
  const claimed = await house.claim()
  await receive('n1')
  house.clock.jumpWallClock(2 * 1440 * minuteMs)
  await house.end(claimed, accepted('n1'))
  expect(await statuses()).toEqual(['delivered'])
  expect(await parked()).toEqual([])
})

test('when its own hand-over began decides, not when that of a later message did', async () => {
  await house.send()
  const claimed = await house.claim()
  await receive('n1')
  house.clock.jumpWallClock(4 * minuteMs)
  await house.send()
  await house.claim()
  await house.end(claimed, accepted('n1'))
  expect(await statuses()).toEqual(['delivered', 'sending'])
})

test('of two receipts that come before their answer the first counts', async () => {
  await house.send()
  const claimed = await house.claim()
  await receive('n1')
  await receive('n1', { result: 'undelivered' })
  await house.end(claimed, accepted('n1'))
  expect(await statuses()).toEqual(['delivered'])
})

test('a parked receipt does not hide another whose id reads alike', async () => {
  await receive('16', { alternatives: ['10'], numbers: ['15005550001'] })
  await receive('10', { alternatives: ['a'], numbers: ['4915112345678'] })
  await house.send()
  await house.end(await house.claim(), accepted('10'))
  expect(await statuses()).toEqual(['delivered'])
  expect(await parked()).toEqual(['16', '10'])
})

test('a receipt that names another number is not for the message that has its id now, and waits for its own', async () => {
  await house.send()
  await house.end(await house.claim(), accepted('n1'))
  await receive('n1', { numbers: ['15005550006', 'ACME'] })
  expect(await statuses()).toEqual(['sent'])
  expect(await parked()).toEqual(['n1'])
  await house.send({ recipients: [{ to: '+15005550006', country: 'US' }] })
  await house.end(await house.claim(), accepted('n1'))
  expect(await statuses()).toEqual(['unconfirmed', 'delivered'])
})

test('another reading is taken when the message under the first has another recipient', async () => {
  for (const [id, to] of [
    ['10', '+15005550006'],
    ['a', '+4915112345678'],
  ] as const) {
    await house.send({ recipients: [{ to, country: null }] })
    await house.end(await house.claim(), accepted(id))
  }
  await receive('10', { alternatives: ['a'], numbers: ['4915112345678'] })
  expect(await statuses()).toEqual(['sent', 'delivered'])
})

test.for([
  ['in national form', '015112345678'],
  ['with 00 in front', '004915112345678'],
  ['with a routing prefix', 'D0834915112345678'],
  ['as the destination, from an SMSC that does not turn them round', 'ACME', '+4915112345678'],
  ['not at all: a word', 'ACME'],
  ['not at all: a short code', '12345'],
])('the recipient may be named %s', async ([, ...numbers]) => {
  await house.send()
  await house.end(await house.claim(), accepted('n1'))
  await receive('n1', { numbers })
  expect(await statuses()).toEqual(['delivered'])
})

test('other readings cost nothing while the first is found', async () => {
  const cost = async (id: string, more: Partial<Receipt>) => {
    await house.send()
    await house.end(await house.claim(), accepted(id))
    return countStatements(id, more)
  }
  const plain = await cost('n1', {})
  expect(plain).toBeGreaterThan(0)
  expect(await cost('n2', { alternatives: ['x', 'y'], numbers: ['4915112345678'] })).toBe(plain)
  // All readings, the parts in doubt, and the canaries.
  expect(await countStatements('n3', { alternatives: ['x'] })).toBe(3)
})

test('who gives up waiting for an id that another message has by now closes nothing of that one', async () => {
  for (let i = 0; i < 2; i++) {
    await house.send()
    await house.end(await house.claim(), accepted('n1'))
  }
  expect(await statuses()).toEqual(['unconfirmed', 'sent'])
  const first = await house.store.db
    .selectFrom('messages')
    .selectAll()
    .orderBy('id')
    .executeTakeFirstOrThrow()
  const late = {
    accountId: first.account_id,
    mode: first.mode,
    messageId: first.id,
    networkId: 'n1',
    deviceId: 'dev_s',
    attemptNumber: 1,
    wireParts: 1,
  }
  await house.store.writer.write(async (tx) =>
    closeReceipts(tx, await takeChange(tx, house.clock.now()), [late]),
  )
  const rows = await house.store.db
    .selectFrom('receipts_expected')
    .select(['message_id', 'closed_at'])
    .execute()
  expect(rows).toEqual([{ message_id: expect.not.stringMatching(first.id), closed_at: null }])
})

test.for([
  [2, 'delivered'],
  ['all', 'delivered'],
  [3, 'sent'],
] as const)('of two parts one receipt that speaks of %s leaves the message %s', async ([covers, status]) => {
  await house.send({ parts: 2 })
  await house.end(await house.claim(), accepted('n1', 'n2'))
  await receive('n1', { covers })
  expect(await statuses()).toEqual([status])
})
