import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { claimMessages } from '../../src/messages/queue/claim-messages.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { accepted, echoOf, lost, type LostHouse, openLostHouse } from './lost-house.ts'
import { changeOnDemand } from '../../src/messages/core/change-number.ts'

/** What becomes of messages whose answer was lost when a receipt comes under an id that nobody knows. */

let house: LostHouse
beforeEach(async () => {
  house = await openLostHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

test('a receipt that brings the reference back settles the message, as a correction without a charge', async () => {
  const claimed = await house.loseOne()
  expect(await house.message()).toMatchObject({ status: 'unconfirmed', cost_state: 'released' })
  await house.receive('n1', echoOf(claimed))
  expect(await house.message()).toMatchObject({
    status: 'delivered',
    corrected: 1,
    charged: 0,
    cost_state: 'released',
  })
  expect(await house.wallet()).toEqual({ reserved: 0, used: 0 })
  expect([...(await house.rowsOf('receipts_expected')), ...(await house.rowsOf('parked_receipts'))]).toEqual(
    [],
  )
})

test('one of several messages in doubt to one number is found by its reference', async () => {
  const [, second] = [await house.loseOne(), await house.loseOne(), await house.loseOne()]
  await house.receive('n1')
  expect(await house.statuses()).toEqual(['unconfirmed', 'unconfirmed', 'unconfirmed'])
  await house.receive('n2', { ...echoOf(second), result: 'undelivered', code: 'unreachable' })
  expect(await house.statuses()).toEqual(['unconfirmed', 'undelivered', 'unconfirmed'])
})

test('a receipt without a reference settles the only message that it can be about', async () => {
  await house.loseOne()
  await house.receive('n1', { result: 'undelivered', code: 'unreachable' })
  expect(await house.message()).toMatchObject({
    status: 'undelivered',
    error_code: 'unreachable',
    charged: 0,
    corrected: 1,
  })
})

test('a second receipt is about another part, whatever the first one said', async () => {
  await house.loseOne({ parts: 2 })
  await house.receive('n1', { result: 'undelivered', code: 'unreachable' })
  await house.receive('n2')
  expect(await house.message()).toMatchObject({ status: 'undelivered', error_code: 'unreachable' })
  const { part_reports } = await house.store.db
    .selectFrom('attempts')
    .select('part_reports')
    .executeTakeFirstOrThrow()
  const reports = JSON.parse(String(part_reports)) as { ids: string[]; state: string }[]
  expect(reports.map(({ ids, state }) => [ids[0], state])).toEqual([['#0', 'undelivered'], ['#1', 'delivered']]) // prettier-ignore
})

test('a better receipt for the ID that the first one named corrects the message', async () => {
  const claimed = await house.loseOne()
  await house.receive('n1', { result: 'undelivered', code: 'unreachable' })
  expect(await house.rowsOf('receipts_expected')).toMatchObject([
    { network_id: 'n1', closed_at: house.clock.now() },
  ])
  await house.receive('n1')
  expect(await house.message()).toMatchObject({ status: 'delivered', error_code: null, charged: 0 })
  // What the attempt keeps says the same: a late answer moves nothing.
  await house.late(claimed, accepted('n1'))
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 0 })
  expect([...(await house.rowsOf('receipts_expected')), ...(await house.rowsOf('parked_receipts'))]).toEqual(
    [],
  )
})

test('a worse receipt for the ID of a part that was unknown, and one of no ID, change nothing', async () => {
  const claimed = await house.loseOne({ parts: 2 })
  await house.receive('n1', { ...echoOf(claimed), result: 'undelivered', code: 'unreachable' })
  await house.receive('n1', { result: 'lost', code: 'expired' })
  await house.receive('x', { ...echoOf(claimed, 1), hasNoId: true, result: 'undelivered', code: 'other' })
  expect(await house.message()).toMatchObject({ status: 'undelivered', error_code: 'unreachable' })
  expect((await house.rowsOf('receipts_expected')).map(({ network_id }) => network_id)).toEqual(['n1'])
})

test('a reference of somebody else, another number and another device are left alone', async () => {
  const claimed = await house.loseOne()
  await house.receive('n1', { reference: (echoOf(claimed).reference % 65_535) + 1 })
  await house.receive('n2', { numbers: ['15005550006', 'ACME'] })
  await house.receive('n3', { numbers: [] })
  await house.receive('n4', echoOf(claimed), 'dev_other')
  expect(await house.statuses()).toEqual(['unconfirmed'])
  expect(await house.rowsOf('parked_receipts')).toHaveLength(4)
})

test.for([
  ['the recipient alone', ['4915112345678']],
  ['the sender beside it', ['4915112345678', '4930123456']],
] as const)('of a message with a sender it is one that names %s, no other number', async ([, numbers]) => {
  await house.loseOne()
  await house.store.writer.write((tx) => tx.updateTable('messages').set({ sender: '+4930123456' }).execute())
  await house.receive('n1', { numbers: ['4915112345678', '4930999999'] })
  expect(await house.statuses()).toEqual(['unconfirmed'])
  await house.receive('n2', { numbers })
  expect(await house.statuses()).toEqual(['delivered'])
})

test.for([
  ['a hand-over that is open', async (): Promise<void> => void (await house.claim())],
  [
    'a message that waits for its receipt',
    async (): Promise<void> => house.end(await house.claim(), accepted('n2')),
  ],
  ['another one in doubt', async (): Promise<void> => house.end(await house.claim(), lost())],
] as const)('%s to the same number makes it unsure', async ([, happens]) => {
  await house.loseOne()
  await house.send()
  await happens()
  await house.receive('n1')
  expect((await house.statuses())[0]).toBe('unconfirmed')
  expect(await house.rowsOf('parked_receipts')).toHaveLength(1)
})

test('a message over another device makes nothing unsure, one of another account over the same device does', async () => {
  await house.loseOne()
  await house.send()
  await house.claim('dev_other')
  await house.receive('n1')
  expect(await house.statuses()).toEqual(['delivered', 'sending'])

  await house.loseOne()
  await sendAndClaimOfAnother()
  await house.receive('n2')
  expect(await house.statuses()).toEqual(['delivered', 'sending', 'unconfirmed', 'sending'])
})

/** A message of `acc_b` to the same number goes out over `dev_s`. */
async function sendAndClaimOfAnother(): Promise<void> {
  const nowMs = house.clock.now()
  const ids = createIds({ now: house.clock.now })
  await house.store.writer.write(async (tx) => {
    const row = { id: 'acc_b', name: 'B', state: 'active', created_at: nowMs, updated_at: nowMs } as const
    await tx.insertInto('accounts').values(row).execute()
    await openWallets(
      tx,
      { ids, nowMs },
      { accountId: 'acc_b', freeSms: 1, playSms: 0, lowThreshold: 0, actor: 'test' },
    )
  })
  await house.send({ accountId: 'acc_b' })
  const requests = [
    {
      accountId: 'acc_b',
      mode: 'live',
      routeKey: routeKeyOf({ mode: 'live', sender: null }),
      deviceId: 'dev_s',
      quota: 1,
      partsOver: 0,
      partsUpTo: 10,
    },
  ] as const
  await house.store.writer.write((tx) =>
    claimMessages(tx, ids, { requests, nowMs, dueMs: nowMs, fence: 1 }, changeOnDemand(tx, nowMs)),
  )
}

test('the date of the submit tells two messages apart, whatever the time zone', async () => {
  const startedAt = house.clock.now()
  await house.loseOne()
  await house.clock.advance(6 * 60_000)
  await house.loseOne()
  const inTokyo = startedAt + 9 * 3_600_000
  await house.receive('n1', { submittedAt: inTokyo - (inTokyo % 60_000) })
  expect(await house.statuses()).toEqual(['delivered', 'unconfirmed'])
})

test('a date that fits no attempt settles nothing', async () => {
  await house.loseOne()
  const startedAt = house.clock.now()
  await house.receive('n1', { submittedAt: startedAt + 7 * 60_000 })
  await house.receive('n2', { submittedAt: startedAt - 2 * 86_400_000 })
  expect(await house.statuses()).toEqual(['unconfirmed'])
})

test('the repeat of a receipt is not taken for another message', async () => {
  await house.send()
  await house.end(await house.claim(), accepted('n1'))
  await house.receive('n1')
  await house.loseOne()
  await house.receive('n1')
  expect(await house.statuses()).toEqual(['delivered', 'unconfirmed'])
  await house.receive('n2')
  expect(await house.statuses()).toEqual(['delivered', 'delivered'])
  await house.loseOne()
  await house.receive('n2')
  expect(await house.statuses()).toEqual(['delivered', 'delivered', 'unconfirmed'])
})

test.for([
  ['with', true],
  ['without', false],
] as const)(
  'each part counts by its own, %s references, and a repeat of one is no other',
  async ([, hasReferences]) => {
    const claimed = await house.loseOne({ parts: 2 })
    const echo = (part: number) => (hasReferences ? echoOf(claimed, part) : {})
    await house.receive('n1', echo(1))
    await house.receive('n1', echo(1))
    expect(await house.message()).toMatchObject({ status: 'unconfirmed' })
    await house.receive('n2', echo(0))
    expect(await house.message()).toMatchObject({ status: 'delivered', charged: 0, cost_state: 'released' })
  },
)

test('parts that went out as one are delivered with one receipt', async () => {
  await house.loseOne({ parts: 3 }, 1)
  await house.receive('n1')
  expect(await house.statuses()).toEqual(['delivered'])
})

test('a part that was refused keeps the message from being delivered', async () => {
  await house.send({ parts: 2 })
  const unknownParts = { parts: [0], wireParts: 2 }
  await house.end(await house.claim(), { ...lost(), unknownParts } as Outcome)
  await house.receive('n1')
  expect(await house.statuses()).toEqual(['unconfirmed'])
})

test('more receipts than parts in doubt settle nothing', async () => {
  await house.send()
  const claimed = await house.claim()
  await house.receive('n1')
  await house.receive('n2')
  await house.end(claimed, lost())
  expect(await house.statuses()).toEqual(['unconfirmed'])
  expect(await house.rowsOf('parked_receipts')).toHaveLength(2)
})

test.for([
  ['with', true],
  ['without', false],
] as const)(
  'a receipt %s a reference that came while the answer was still waited for is found when it is given up',
  async ([, hasReference]) => {
    await house.send({ parts: 2 })
    const claimed = await house.claim()
    for (const part of [0, 1]) await house.receive(`n${part}`, hasReference ? echoOf(claimed, part) : {})
    expect(await house.message()).toMatchObject({ status: 'sending' })
    await house.end(claimed, lost(2))
    expect(await house.message()).toMatchObject({ status: 'delivered', charged: 0, cost_state: 'released' })
    expect(await house.rowsOf('parked_receipts')).toEqual([])
  },
)

test('a receipt from before the hand-over is none of it', async () => {
  await house.receive('n1')
  await house.clock.advance(1)
  await house.loseOne()
  expect(await house.statuses()).toEqual(['unconfirmed'])
  expect(await house.rowsOf('parked_receipts')).toHaveLength(1)
})
