import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome, Receipt } from '../../src/connectors/connector.ts'
import { judgeLate } from '../../src/dispatch/retry-policy.ts'
import { createIds } from '../../src/ids.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { type Claimed, claimMessages } from '../../src/messages/claim-messages.ts'
import { routeKeyOf } from '../../src/messages/message-store.ts'
import { settleOutcomes } from '../../src/messages/settle-outcomes.ts'
import { settleReceipts } from '../../src/messages/settle-receipts.ts'
import { referenceOfPart } from '../../src/part-reference.ts'
import { type NearHouse, openNearHouse } from './near-house.ts'

/** What becomes of messages whose answer was lost when a receipt comes under an id that nobody knows. */

let house: NearHouse
beforeEach(async () => {
  house = await openNearHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

const numbers = ['4915112345678', 'ACME']
const lost = (wireParts = 1): Outcome => ({
  kind: 'unknown',
  networkIds: [],
  partsTaken: 0,
  detail: 'no answer in time',
  inDoubt: { parts: Array.from({ length: wireParts }, (_, part) => part), wireParts },
})
const accepted = (...networkIds: string[]): Outcome => ({
  kind: 'accepted',
  networkIds,
  receiptExpected: true,
})

const wordOf = (networkId: string, more: Partial<Receipt>, deviceId: string) =>
  ({ networkId, numbers, result: 'delivered', code: null, networkCode: null, ...more, deviceId, atMs: house.clock.now() }) as const // prettier-ignore
const receive = (networkId: string, more: Partial<Receipt> = {}, deviceId = 'dev_s') =>
  house.store.writer.write((tx) => settleReceipts(tx, [wordOf(networkId, more, deviceId)]))
const late = (claimed: Claimed, outcome: Outcome) =>
  house.store.writer.write((tx) => settleOutcomes(tx, [judgeLate(claimed, outcome, house.clock.now(), [])]))

const statuses = async () =>
  (await house.store.db.selectFrom('messages').select('status').orderBy('id').execute()).map(
    ({ status }) => status,
  )
const rowsOf = (table: 'receipts_expected' | 'parked_receipts' | 'queue') =>
  house.store.db.selectFrom(table).selectAll().execute()
const wallet = () =>
  house.store.db
    .selectFrom('wallets')
    .select(['reserved', 'used'])
    .where('mode', '=', 'live')
    .executeTakeFirstOrThrow()

/** Sends one, which is handed over and not answered. */
async function loseOne(request: Parameters<NearHouse['send']>[0] = {}, wireParts = request.parts ?? 1) {
  await house.send(request)
  const claimed = await house.claim()
  await house.end(claimed, lost(wireParts))
  return claimed
}
const echoOf = (claimed: Claimed, part = 0) => ({ reference: referenceOfPart(claimed.attemptId, part) })

test('a receipt that brings the reference back settles the message, as a correction without a charge', async () => {
  const claimed = await loseOne()
  expect(await house.message()).toMatchObject({ status: 'unconfirmed', cost_state: 'released' })
  await receive('n1', echoOf(claimed))
  expect(await house.message()).toMatchObject({
    status: 'delivered',
    corrected: 1,
    charged: 0,
    cost_state: 'released',
  })
  expect(await wallet()).toEqual({ reserved: 0, used: 0 })
  expect([...(await rowsOf('receipts_expected')), ...(await rowsOf('parked_receipts'))]).toEqual([])
})

test('one of several messages in doubt to one number is found by its reference', async () => {
  const [, second] = [await loseOne(), await loseOne(), await loseOne()]
  await receive('n1')
  expect(await statuses()).toEqual(['unconfirmed', 'unconfirmed', 'unconfirmed'])
  await receive('n2', { ...echoOf(second), result: 'undelivered', code: 'unreachable' })
  expect(await statuses()).toEqual(['unconfirmed', 'undelivered', 'unconfirmed'])
})

test('a receipt without a reference settles the only message that it can be about', async () => {
  await loseOne()
  await receive('n1', { result: 'undelivered', code: 'unreachable' })
  expect(await house.message()).toMatchObject({
    status: 'undelivered',
    error_code: 'unreachable',
    charged: 0,
    corrected: 1,
  })
})

test('a reference of somebody else, another number and another device are left alone', async () => {
  const claimed = await loseOne()
  await receive('n1', { reference: (echoOf(claimed).reference % 65_535) + 1 })
  await receive('n2', { numbers: ['15005550006', 'ACME'] })
  await receive('n3', { numbers: [] })
  await receive('n4', echoOf(claimed), 'dev_other')
  expect(await statuses()).toEqual(['unconfirmed'])
  expect(await rowsOf('parked_receipts')).toHaveLength(4)
})

test.for([
  ['a hand-over that is open', async (): Promise<void> => void (await house.claim())],
  [
    'a message that waits for its receipt',
    async (): Promise<void> => house.end(await house.claim(), accepted('n2')),
  ],
  ['another one in doubt', async (): Promise<void> => house.end(await house.claim(), lost())],
] as const)('%s to the same number makes it unsure', async ([, happens]) => {
  await loseOne()
  await house.send()
  await happens()
  await receive('n1')
  expect((await statuses())[0]).toBe('unconfirmed')
  expect(await rowsOf('parked_receipts')).toHaveLength(1)
})

test('a message over another device makes nothing unsure, one of another account over the same device does', async () => {
  await loseOne()
  await house.send()
  await house.claim('dev_other')
  await receive('n1')
  expect(await statuses()).toEqual(['delivered', 'sending'])

  await loseOne()
  await sendAndClaimOfAnother()
  await receive('n2')
  expect(await statuses()).toEqual(['delivered', 'sending', 'unconfirmed', 'sending'])
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
  const wants = [
    {
      accountId: 'acc_b',
      mode: 'live',
      routeKey: routeKeyOf('live', null),
      deviceId: 'dev_s',
      quota: 1,
      partsOver: 0,
      partsUpTo: 10,
    },
  ] as const
  await house.store.writer.write((tx) => claimMessages(tx, ids, { wants, nowMs, dueMs: nowMs, fence: 1 }))
}

test('the date of the submit tells two messages apart, whatever the time zone', async () => {
  const startedAt = house.clock.now()
  await loseOne()
  await house.clock.advance(6 * 60_000)
  await loseOne()
  const inTokyo = startedAt + 9 * 3_600_000
  await receive('n1', { submittedAt: inTokyo - (inTokyo % 60_000) })
  expect(await statuses()).toEqual(['delivered', 'unconfirmed'])
})

test('a date that fits no attempt settles nothing', async () => {
  await loseOne()
  const startedAt = house.clock.now()
  await receive('n1', { submittedAt: startedAt + 7 * 60_000 })
  await receive('n2', { submittedAt: startedAt - 2 * 86_400_000 })
  expect(await statuses()).toEqual(['unconfirmed'])
})

test('the repeat of a receipt is not taken for another message', async () => {
  await house.send()
  await house.end(await house.claim(), accepted('n1'))
  await receive('n1')
  await loseOne()
  await receive('n1')
  expect(await statuses()).toEqual(['delivered', 'unconfirmed'])
  await receive('n2')
  expect(await statuses()).toEqual(['delivered', 'delivered'])
  await loseOne()
  await receive('n2')
  expect(await statuses()).toEqual(['delivered', 'delivered', 'unconfirmed'])
})

test.for([['with', true], ['without', false]] as const)(
  'each part counts by its own, %s references, and a repeat of one is no other',
  async ([, hasReferences]) => {
    const claimed = await loseOne({ parts: 2 })
    const echo = (part: number) => (hasReferences ? echoOf(claimed, part) : {})
    await receive('n1', echo(1))
    await receive('n1', echo(1))
    expect(await house.message()).toMatchObject({ status: 'unconfirmed' })
    await receive('n2', echo(0))
    expect(await house.message()).toMatchObject({ status: 'delivered', charged: 0, cost_state: 'released' })
  },
) // prettier-ignore

test('parts that went out as one are delivered with one receipt', async () => {
  await loseOne({ parts: 3 }, 1)
  await receive('n1')
  expect(await statuses()).toEqual(['delivered'])
})

test('a part that was refused keeps the message from being delivered', async () => {
  await house.send({ parts: 2 })
  const inDoubt = { parts: [0], wireParts: 2 }
  await house.end(await house.claim(), { ...lost(), inDoubt } as Outcome)
  await receive('n1')
  expect(await statuses()).toEqual(['unconfirmed'])
})

test('more receipts than parts in doubt settle nothing', async () => {
  await house.send()
  const claimed = await house.claim()
  await receive('n1')
  await receive('n2')
  await house.end(claimed, lost())
  expect(await statuses()).toEqual(['unconfirmed'])
  expect(await rowsOf('parked_receipts')).toHaveLength(2)
})

test.for([['with', true], ['without', false]] as const)(
  'a receipt %s a reference that came while the answer was still waited for is found when it is given up',
  async ([, hasReference]) => {
    await house.send({ parts: 2 })
    const claimed = await house.claim()
    for (const part of [0, 1]) await receive(`n${part}`, hasReference ? echoOf(claimed, part) : {})
    expect(await house.message()).toMatchObject({ status: 'sending' })
    await house.end(claimed, lost(2))
    expect(await house.message()).toMatchObject({ status: 'delivered', charged: 0, cost_state: 'released' })
    expect(await rowsOf('parked_receipts')).toEqual([])
  },
) // prettier-ignore

test('a receipt from before the hand-over is none of it', async () => {
  await receive('n1')
  await house.clock.advance(1)
  await loseOne()
  expect(await statuses()).toEqual(['unconfirmed'])
  expect(await rowsOf('parked_receipts')).toHaveLength(1)
})

test('a receipt for the first try cancels the second that waits, and charges once', async () => {
  const claimed = await loseOne({ onUnknown: 'resend_once', parts: 2 })
  await receive('n1', echoOf(claimed, 0))
  expect(await statuses()).toEqual(['queued'])
  await receive('n2', echoOf(claimed, 1))
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 2, cost_state: 'charged' })
  expect(await rowsOf('queue')).toEqual([])
  await expect(house.claim()).rejects.toThrow('nothing to claim')
  expect(await wallet()).toEqual({ reserved: 0, used: 2 })
})

test('a late yes to the first try cancels the second that waits, and charges once', async () => {
  const claimed = await loseOne({ onUnknown: 'resend_once' })
  await late(claimed, accepted('n1'))
  expect(await house.message()).toMatchObject({ status: 'sent', charged: 1, corrected: 0 })
  expect(await rowsOf('queue')).toEqual([])
  await expect(house.claim()).rejects.toThrow('nothing to claim')
  await receive('n1')
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 1, attempts: 1 })
})

test('a late yes that comes when the second try was just claimed is evidence alone', async () => {
  const first = await loseOne({ onUnknown: 'resend_once' })
  const second = await house.claim()
  await late(first, accepted('n1'))
  expect(await house.message()).toMatchObject({ status: 'sending', charged: 0 })
  await house.end(second, accepted('n2'))
  expect(await house.message()).toMatchObject({ status: 'sent', charged: 1, attempts: 2 })
})

test('a late answer after a receipt waits for the other parts alone', async () => {
  const claimed = await loseOne({ parts: 2 })
  await receive('n1', echoOf(claimed, 0))
  await late(claimed, accepted('n1', 'n2'))
  expect(await statuses()).toEqual(['sent'])
  expect((await rowsOf('receipts_expected')).map((row) => row.network_id)).toEqual(['n2'])
  await receive('n2')
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 0 })
})

test('a late no ends the doubt: no receipt settles it by its number any more', async () => {
  const claimed = await loseOne()
  await late(claimed, { kind: 'refused', lasts: 'good', code: 'number_invalid', networkCode: null })
  await receive('n1')
  expect(await statuses()).toEqual(['unconfirmed'])
  expect(await rowsOf('receipts_expected')).toEqual([])
})
