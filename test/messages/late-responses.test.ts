import { afterEach, beforeEach, expect, test } from 'vitest'
import { accepted, echoOf, type LostHouse, openLostHouse } from './lost-house.ts'

/** What becomes of messages whose answer was lost when the answer comes after all, or while their second try waits. */

let house: LostHouse
beforeEach(async () => {
  house = await openLostHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

test('a receipt for the first try cancels the second that waits, and charges once', async () => {
  const claimed = await house.loseOne({ onUnknown: 'resend_once', parts: 2 })
  await house.receive('n1', echoOf(claimed, 0))
  expect(await house.statuses()).toEqual(['queued'])
  await house.receive('n2', echoOf(claimed, 1))
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 2, cost_state: 'charged' })
  expect(await house.rowsOf('queue')).toEqual([])
  await expect(house.claim()).rejects.toThrow('nothing to claim')
  expect(await house.wallet()).toEqual({ reserved: 0, used: 2 })
})

test('a late yes to the first try cancels the second that waits, and charges once', async () => {
  const claimed = await house.loseOne({ onUnknown: 'resend_once' })
  await house.late(claimed, accepted('n1'))
  expect(await house.message()).toMatchObject({ status: 'sent', charged: 1, corrected: 0 })
  expect(await house.rowsOf('queue')).toEqual([])
  await expect(house.claim()).rejects.toThrow('nothing to claim')
  await house.receive('n1')
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 1, attempts: 1 })
})

test('a late yes that is stored twice is waited for as one that was stored once', async () => {
  const claimed = await house.loseOne({ onUnknown: 'resend_once' })
  await house.late(claimed, accepted('n1'))
  const once = await house.rowsOf('receipts_expected')
  await house.late(claimed, accepted('n1'))
  expect(await house.rowsOf('receipts_expected')).toEqual(once)
})

test('of an answer that is stored twice, parts that were reported on in between are not waited for again', async () => {
  await house.send({ parts: 2 })
  const claimed = await house.claim()
  await house.end(claimed, accepted('n1', 'n2'))
  await house.receive('n1')
  await house.end(claimed, accepted('n1', 'n2'))
  await house.receive('n2')
  expect(await house.statuses()).toEqual(['delivered'])
})

test('a late yes that comes when the second try was just claimed is evidence alone', async () => {
  const first = await house.loseOne({ onUnknown: 'resend_once' })
  const second = await house.claim()
  await house.late(first, accepted('n1'))
  expect(await house.message()).toMatchObject({ status: 'sending', charged: 0 })
  await house.end(second, accepted('n2'))
  expect(await house.message()).toMatchObject({ status: 'sent', charged: 1, attempts: 2 })
})

test('a late answer after a receipt waits for the other parts alone', async () => {
  const claimed = await house.loseOne({ parts: 2 })
  await house.receive('n1', echoOf(claimed, 0))
  await house.late(claimed, accepted('n1', 'n2'))
  expect(await house.statuses()).toEqual(['sent'])
  expect((await house.rowsOf('receipts_expected')).map((row) => row.network_id)).toEqual(['n2'])
  await house.receive('n2')
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 0 })
})

test.for(['resend_once', 'stop'] as const)(
  'a late answer that tells no id, after the receipts of all that have one, waits for none: on unknown %s',
  async (onUnknown) => {
    const claimed = await house.loseSecondPart(onUnknown)
    await house.receive('n1')
    expect(await house.statuses()).toEqual([onUnknown === 'stop' ? 'unconfirmed' : 'queued'])
    await house.late(claimed, accepted('n1'))
    expect(await house.message()).toMatchObject({ status: 'delivered', parts_sent: 2 })
    expect(await house.rowsOf('queue')).toEqual([])
    expect(await house.rowsOf('receipts_expected')).toEqual([])
  },
)

test('a late no ends the doubt: no receipt settles it by its number any more', async () => {
  const claimed = await house.loseOne()
  await house.late(claimed, { kind: 'refused', lasts: 'good', code: 'number_invalid', networkCode: null })
  await house.receive('n1')
  expect(await house.statuses()).toEqual(['unconfirmed'])
  expect(await house.rowsOf('receipts_expected')).toEqual([])
})

test.for([1, 2])(
  'a bad receipt while the second try waits counts once the first is answered after all, of %i parts',
  async (parts) => {
    const claimed = await house.loseOne({ onUnknown: 'resend_once', parts })
    await house.receive('n1', { ...echoOf(claimed, 0), result: 'undelivered', code: 'unreachable' })
    expect(await house.statuses()).toEqual(['queued'])
    await house.late(claimed, accepted(...['n1', 'n2'].slice(0, parts)))
    expect(await house.message()).toMatchObject({
      status: 'undelivered',
      error_code: 'unreachable',
      charged: parts,
    })
    expect(await house.rowsOf('queue')).toEqual([])
    await house.receive('n2')
    expect(await house.statuses()).toEqual(['undelivered'])
  },
)

test('that a part was lost, told while nobody knows of the other, counts once that is answered after all', async () => {
  const claimed = await house.loseSecondPart('stop')
  await house.receive('n1', { result: 'lost' })
  expect(await house.statuses()).toEqual(['unconfirmed'])
  await house.late(claimed, accepted('n1'))
  expect(await house.statuses()).toEqual(['unconfirmed'])
  // A better receipt may follow.
  expect(await house.rowsOf('receipts_expected')).toMatchObject([
    { network_id: 'n1', closed_at: expect.any(Number) as number },
  ])
  await house.receive('n1')
  expect(await house.statuses()).toEqual(['delivered'])
})

const unreachable = { result: 'undelivered', code: 'unreachable' } as const

test('a bad receipt under an id that was told, while the second try waits, counts once the other part is answered after all', async () => {
  const claimed = await house.loseSecondPart()
  await house.receive('n1', unreachable)
  expect(await house.statuses()).toEqual(['queued'])
  await house.late(claimed, accepted('n1', 'n2'))
  expect(await house.message()).toMatchObject({
    status: 'undelivered',
    error_code: 'unreachable',
    charged: 2,
  })
  expect(await house.rowsOf('queue')).toEqual([])
  await house.receive('n2')
  expect(await house.statuses()).toEqual(['undelivered'])
})

test.for(['one after the other', 'together'])(
  'a bad receipt under an id that was told does not hide that of the other part: %s',
  async (how) => {
    const claimed = await house.loseSecondPart()
    const words = [
      { networkId: 'n1', ...unreachable },
      { networkId: 'n2', ...echoOf(claimed, 1) },
    ]
    if (how === 'together') await house.receiveAll(words)
    else for (const word of words) await house.receiveAll([word])
    expect(await house.statuses()).toEqual(['queued'])
    await house.late(claimed, accepted('n1', 'n2'))
    expect(await house.message()).toMatchObject({ status: 'undelivered', charged: 2 })
  },
)

test('a bad receipt under an id that was told ends nothing of the second try', async () => {
  await house.loseSecondPart()
  await house.receive('n1', unreachable)
  await house.end(await house.claim(), accepted('n3', 'n4'))
  await house.receive('n1', unreachable)
  expect(await house.statuses()).toEqual(['sent'])
  await house.receiveAll([{ networkId: 'n3' }, { networkId: 'n4' }])
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 2 })
})

test('a bad receipt of a first try that is never answered ends nothing of the second', async () => {
  const first = await house.loseOne({ onUnknown: 'resend_once' })
  await house.receive('n1', { ...echoOf(first), result: 'undelivered', code: 'unreachable' })
  await house.end(await house.claim(), accepted('n2'))
  expect(await house.statuses()).toEqual(['sent'])
  await house.receive('n2')
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 1 })
})

test.for(['before', 'behind'])(
  'an id that the network gives to both tries, told of the first %s the second, is waited for as that of the second',
  async (order) => {
    const first = await house.loseOne({ onUnknown: 'resend_once' })
    const second = await house.claim()
    const tells = [() => house.late(first, accepted('n1')), () => house.end(second, accepted('n1'))]
    for (const tell of order === 'before' ? tells : tells.toReversed()) await tell()
    expect(await house.statuses()).toEqual(['sent'])
    await house.receive('n1', { result: 'undelivered', code: 'unreachable' })
    expect(await house.statuses()).toEqual(['undelivered'])
  },
)

test('the answer that names more parts than were known is not delivered by the known one', async () => {
  await house.send({ parts: 1 })
  const claimed = await house.claim()
  await house.end(claimed, { kind: 'unknown', networkIds: ['n1'], partsTaken: 0, detail: 'no answer' })
  await house.late(claimed, { kind: 'accepted', networkIds: ['n1', 'n2'], receiptExpected: false })
  await house.receive('n1')
  expect(await house.statuses()).toEqual(['sent'])
})

test('parts that the network gave one ID are delivered by its one receipt', async () => {
  await house.send({ parts: 2 })
  await house.end(await house.claim(), accepted('x', 'x'))
  await house.receive('x')
  expect(await house.statuses()).toEqual(['delivered'])
})

test('one receipt for all parts delivers a message of which no ID is known, and ends its wait for a second attempt', async () => {
  const claimed = await house.loseOne({ parts: 2, onUnknown: 'resend_once' })
  expect(await house.statuses()).toEqual(['queued'])
  await house.receive('n9', { ...echoOf(claimed), covers: 2 })
  expect(await house.statuses()).toEqual(['delivered'])
  expect(await house.rowsOf('queue')).toEqual([])
})

test('of two reports that nothing is known of the outcome the second may name parts', async () => {
  const claimed = await house.loseOne({ parts: 2 })
  await house.late(claimed, { kind: 'unknown', networkIds: ['n1'], partsTaken: 1, detail: 'no answer' })
  const row = await house.store.db.selectFrom('attempts').selectAll().executeTakeFirstOrThrow()
  expect(row).toMatchObject({ state: 'unknown', parts_sent: 1, network_ids: '["n1"]' })
})
