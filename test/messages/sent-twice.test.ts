import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import { everyMessage } from '../../src/messages/history/history-query.ts'
import { readHistory } from '../../src/messages/history/history.ts'
import { accepted, type LostHouse, openLostHouse } from './lost-house.ts'

/** A phone let a message go twice, and then says that it sent it, both times: it is charged once, and waits for the receipts of both. */
let house: LostHouse
let first: Claimed
let second: Claimed
const away: Outcome = { kind: 'unavailable', detail: 'gone' }
beforeEach(async () => {
  house = await openLostHouse()
  await house.send()
  first = await house.claim()
  await house.end(first, away)
  second = await house.claim()
  await house.late(first, accepted('n1'))
  await house.end(second, away)
  expect(await house.statuses()).toEqual(['sent'])
})
afterEach(async () => {
  expect(await house.wallet()).toEqual({ reserved: 0, used: 1 })
  await house.sums()
  await house.close()
})

const waits = async () =>
  (await house.rowsOf('receipts_expected'))
    .map((row) => ({ id: 'network_id' in row ? row.network_id : '', isOpen: row.closed_at === null }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))

test.for(['delivered', 'undelivered'] as const)(
  'that the first got lost ends nothing: the second was %s',
  async (result) => {
    await house.late(second, accepted('n2'))
    await house.receipts({ n1: 'lost' })
    expect(await house.statuses()).toEqual(['sent'])
    await house.receipts({ n2: result })
    expect(await house.message()).toMatchObject({ status: result, charged: 1, corrected: 0 })
  },
)

test('the first arrived', async () => {
  await house.late(second, accepted('n2'))
  await house.receipts({ n1: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 1 })
  await house.receipts({ n2: 'undelivered' })
  expect(await house.statuses()).toEqual(['delivered'])
})

test('the receipt of the second had come before its yes', async () => {
  await house.receive('n2', { numbers: [] })
  expect(await house.statuses()).toEqual(['sent'])
  await house.late(second, accepted('n2'))
  expect(await house.statuses()).toEqual(['delivered'])
})

test('a yes that is said again brings back no receipt that was heard', async () => {
  await house.late(second, accepted('n2', 'n3'))
  await house.receipts({ n2: 'delivered' })
  await house.late(second, accepted('n2', 'n3'))
  expect(await waits()).toEqual([
    { id: 'n1', isOpen: true },
    { id: 'n3', isOpen: true },
  ])
  await house.receipts({ n3: 'delivered' })
  expect(await house.statuses()).toEqual(['delivered'])
})

test.for([
  ['once', false],
  ['and the yes to the first is said again', true],
] as const)(
  'where the second promises no receipt, %s, nobody waits, and the first may still be told to have arrived',
  async ([, isRepeated]) => {
    await house.late(second, { ...accepted('n2'), receiptExpected: false } as Outcome)
    if (isRepeated) await house.late(first, accepted('n1'))
    expect(await house.message()).toMatchObject({ status: 'sent', corrected: 0 })
    await house.receipts({ n1: 'delivered' })
    expect(await house.statuses()).toEqual(['delivered'])
  },
)

test('once it has ended nobody waits for the other receipt, which may still correct it', async () => {
  await house.late(second, accepted('n2'))
  await house.receipts({ n2: 'lost' })
  expect(await house.statuses()).toEqual(['unconfirmed'])
  expect(await waits()).toEqual([
    { id: 'n1', isOpen: false },
    { id: 'n2', isOpen: false },
  ])
  await house.receipts({ n1: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', corrected: 1 })
})

test.for(['n1', 'n2'])('the feed of changes tells once that %s arrived', async (id) => {
  await house.late(second, accepted('n2'))
  await house.receipts({ [id]: 'delivered' })
  const query = { ...everyMessage, updatedAfterMs: house.clock.now() - 1 }
  const owner = { accountId: 'acc_a', mode: 'live' } as const
  const { rows } = await readHistory(house.store.db, { owner, query, position: null, limit: 50 })
  expect(rows.map(({ status }) => status)).toEqual(['delivered'])
})
