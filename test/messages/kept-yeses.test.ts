import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { judgeLate, judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import { accepted, lost, type LostHouse, openLostHouse } from './lost-house.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

/** A yes to a first try came while the second was open, and was kept: nothing of the second was submitted, and it counts after all. */
let house: LostHouse
beforeEach(async () => {
  house = await openLostHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

const away: Outcome = { kind: 'unavailable', detail: 'gone' }
const refusal = (lasts: 'good' | 'busy'): Outcome => ({
  kind: 'refused',
  lasts,
  code: 'network_congested',
  networkCode: '88',
})
const settle = (...told: Parameters<typeof settleOutcomes>[1]) =>
  house.store.writer.write((tx) => settleOutcomes(tx, told, takeChange(tx, house.clock.now())))

/** The time for corrections is over. */
const forgetReceipts = () =>
  house.store.writer.write((tx) =>
    tx.deleteFrom('receipts_expected').where('closed_at', 'is not', null).execute(),
  )

async function beginSecond(): Promise<[first: Claimed, second: Claimed]> {
  const first = await house.loseOne({ onUnknown: 'resend_once' })
  return [first, await house.claim()]
}

/** A phone let go of the first: should nobody know of the second, a third goes. */
async function beginSecondOfThree(): Promise<[first: Claimed, second: Claimed]> {
  await house.send({ onUnknown: 'resend_once' })
  const first = await house.claim()
  await house.end(first, away)
  return [first, await house.claim()]
}

test.for([
  ['is throttled', refusal('busy')],
  ['is refused for good', refusal('good')],
] as const)(
  'a phone that let it go says that it sent it: no third goes when the second %s',
  async ([, outcome]) => {
    await house.send()
    const first = await house.claim()
    await house.end(first, away)
    const second = await house.claim()
    await house.late(first, accepted('n1'))
    await house.end(second, outcome)
    expect(await house.message()).toMatchObject({ status: 'sent', attempts: 2, charged: 1, error_code: null })
    expect(await house.rowsOf('queue')).toEqual([])
  },
)

test('of a link without receipts it is final at once', async () => {
  const [first, second] = await beginSecond()
  await house.late(first, { ...accepted('n1'), receiptExpected: false } as Outcome)
  await house.end(second, away)
  expect(await house.message()).toMatchObject({
    status: 'sent',
    charged: 1,
    finalized_at: house.clock.now(),
  })
})

test('the same though an id was told, and waited for, before anybody knew', async () => {
  const first = await house.loseSecondPart()
  const second = await house.claim()
  await house.late(first, { ...accepted('n1', 'n2'), receiptExpected: false } as Outcome)
  await house.end(second, away)
  expect(await house.message()).toMatchObject({
    status: 'sent',
    charged: 2,
    finalized_at: house.clock.now(),
  })
})

test('of a link that tells of failures alone it is final, and a failure is heard', async () => {
  const [first, second] = await beginSecond()
  await house.late(first, { ...accepted('n1'), receiptExpected: false, failuresReported: true } as Outcome)
  await house.end(second, away)
  expect(await house.message()).toMatchObject({ status: 'sent', finalized_at: house.clock.now() })
  await house.receipts({ n1: 'undelivered' })
  expect(await house.message()).toMatchObject({ status: 'undelivered', charged: 1, corrected: 1 })
})

test('whose ids another message has since, nobody knows whether it arrived', async () => {
  const [first, second] = await beginSecond()
  await house.late(first, accepted('n1'))
  await house.send()
  await house.end(await house.claim(), accepted('n1'))
  await house.end(second, away)
  expect(await house.statuses()).toEqual(['unconfirmed', 'sent'])
  await house.receipts({ n1: 'delivered' })
  expect(await house.statuses()).toEqual(['unconfirmed', 'delivered'])
})

test('whose receipts had all come, it is delivered at once', async () => {
  const first = await house.loseSecondPart()
  const second = await house.claim()
  await house.receipts({ n1: 'delivered' })
  expect(await house.statuses()).toEqual(['sending'])
  await house.late(first, accepted('n1'))
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 2 })
  await house.end(second, away)
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 2 })
  expect(await house.rowsOf('queue')).toEqual([])
})

test('whose receipts were forgotten meanwhile, it waits for them anew', async () => {
  const [first, second] = await beginSecond()
  await house.late(first, accepted('n1'))
  await forgetReceipts()
  await house.end(second, away)
  expect(await house.message()).toMatchObject({ status: 'sent', charged: 1, finalized_at: null })
  expect(await house.rowsOf('receipts_expected')).toMatchObject([{ network_id: 'n1', closed_at: null }])
})

test('that was kept before it was written down whether it promised receipts, it waits for those on the list', async () => {
  const [first, second] = await beginSecond()
  await house.late(first, accepted('n1'))
  await house.store.writer.write((tx) => tx.updateTable('attempts').set({ receipt_expected: null }).execute())
  await house.end(second, away)
  expect(await house.message()).toMatchObject({ status: 'sent', finalized_at: null })
  await house.receipts({ n1: 'delivered' })
  expect(await house.statuses()).toEqual(['delivered'])
})

test.for([
  ['was heard', true],
  ['is waited for', false],
] as const)('another message that is given its id in the same unit has it from then on, where that %s', async ([, isHeard]) => {
  const first = await house.loseSecondPart()
  const second = await house.claim()
  await house.late(first, accepted('n1', 'n2'))
  if (isHeard) await house.receipts({ n1: 'delivered' })
  await house.send({ parts: 1 })
  const other = await house.claim()
  const nowMs = house.clock.now()
  await settle(judgeOutcome(second, away, nowMs), judgeOutcome(other, accepted('n1'), nowMs))
  expect(await house.statuses()).toEqual([isHeard ? 'sent' : 'unconfirmed', 'sent'])
  await house.receipts({ n1: 'delivered' })
  expect(await house.statuses()).toEqual([isHeard ? 'sent' : 'unconfirmed', 'delivered'])
  await house.receipts({ n2: 'delivered' })
  // The receipt of its first part was given to the other message with the id.
  expect((await house.statuses())[0]).toBe(isHeard ? 'delivered' : 'unconfirmed')
}) // prettier-ignore

test('the same where a late yes names an id that was heard before', async () => {
  const first = await house.loseSecondPart('stop')
  await house.receipts({ n1: 'delivered' })
  await house.send({ parts: 1 })
  const other = await house.claim()
  const nowMs = house.clock.now()
  await settle(judgeLate(first, accepted('n1', 'n2'), nowMs), judgeOutcome(other, accepted('n1'), nowMs))
  expect(await house.statuses()).toEqual(['sent', 'sent'])
  await house.receipts({ n1: 'delivered', n2: 'delivered' })
  expect(await house.statuses()).toEqual(['delivered', 'delivered'])
})

test.for([
  ['before', [0, 1]],
  ['behind', [1, 0]],
] as const)('told in one unit by a node that stood still, %s the end of the second, it counts', async ([, order]) => {
  const [first, second] = await beginSecond()
  const nowMs = house.clock.now()
  const told = [judgeOutcome(first, accepted('n1'), nowMs), judgeOutcome(second, refusal('busy'), nowMs)] as const
  await settle(...order.map((each) => told[each]))
  expect(await house.message()).toMatchObject({ status: 'sent', attempts: 2, charged: 1 })
  expect(await house.rowsOf('queue')).toEqual([])
}) // prettier-ignore

test.for([
  ['comes late', (second: Claimed) => house.late(second, refusal('good'))],
  ['is told by a node that stood still', (second: Claimed) => house.end(second, refusal('good'))],
] as const)('it counts while nobody knows of the second, and when the no to that %s', async ([, sayNo]) => {
  const [first, second] = await beginSecond()
  await house.late(first, accepted('n1'))
  await house.end(second, lost())
  expect(await house.message()).toMatchObject({ status: 'sent', charged: 1 })
  await sayNo(second)
  expect(await house.message()).toMatchObject({ status: 'sent', charged: 1, corrected: 0 })
  await house.receipts({ n1: 'delivered' })
  expect(await house.statuses()).toEqual(['delivered'])
})

test('it counts while nobody knows of the second, so that no third goes', async () => {
  const [first, second] = await beginSecondOfThree()
  await house.late(first, accepted('n1'))
  await house.end(second, lost())
  expect(await house.message()).toMatchObject({ status: 'sent', attempts: 2, charged: 1 })
  expect(await house.rowsOf('queue')).toEqual([])
})

test.for([
  ['it stops', beginSecond],
  ['it would go again', beginSecondOfThree],
] as const)('that the first did not arrive counts while nobody knows of the second, where %s', async ([, begin]) => {
  const [first, second] = await begin()
  await house.late(first, accepted('n1'))
  await house.end(second, lost())
  await house.receive('n1', { result: 'undelivered', numbers: [] })
  expect(await house.statuses()).toEqual(['undelivered'])
  await house.late(second, refusal('good'))
  expect(await house.message()).toMatchObject({ status: 'undelivered', attempts: 2 })
  expect([...(await house.rowsOf('queue')), ...(await house.rowsOf('parked_receipts'))]).toEqual([])
}) // prettier-ignore

test('a no that is said again to what was sent and is of no known end makes nothing', async () => {
  const [first, second] = await beginSecond()
  await house.late(first, accepted('n1'))
  await house.end(second, away)
  await house.receipts({ n1: 'lost' })
  expect(await house.statuses()).toEqual(['unconfirmed'])
  await house.late(second, refusal('good'))
  expect(await house.message()).toMatchObject({ status: 'unconfirmed', corrected: 0 })
})

test('a late yes and the message that has its id since are stored in one unit', async () => {
  const first = await house.loseOne()
  await house.send()
  const second = await house.claim()
  const nowMs = house.clock.now()
  await settle(judgeLate(first, accepted('n1'), nowMs), judgeOutcome(second, accepted('n1'), nowMs))
  expect(await house.statuses()).toEqual(['unconfirmed', 'sent'])
})

test('what was heard before it is stored at the time of its unit, from when it was heard', async () => {
  const [first] = await beginSecond()
  await house.receive('n1', { numbers: [] })
  const nowMs = house.clock.now()
  const yes = judgeLate(first, accepted('n1'), nowMs)
  await house.store.writer.write((tx) => settleOutcomes(tx, [yes], takeChange(tx, nowMs + 60_000)))
  const times = { delivered_at: nowMs, updated_at: nowMs + 60_000 }
  expect(await house.message()).toMatchObject({ status: 'delivered', ...times })
})

test('a phone that let the second go, and then says that it sent it, is heard where the receipt of the first got lost', async () => {
  const [first, second] = await beginSecond()
  await house.late(first, accepted('n1'))
  await house.end(second, away)
  await house.receipts({ n1: 'lost' })
  await house.receive('n2', { numbers: [] })
  expect(await house.statuses()).toEqual(['unconfirmed'])
  await house.late(second, accepted('n2'))
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 1, corrected: 1 })
})

test.for([
  ['lost', 'unconfirmed'],
  ['delivered', 'delivered'],
] as const)('said twice after its receipt was %s, it takes no id from the message that has it since', async ([result, status]) => {
  const [first, second] = await beginSecond()
  await house.late(first, accepted('n1'))
  await house.end(second, away)
  await house.receipts({ n1: result })
  await house.send()
  await house.end(await house.claim(), accepted('n1'))
  expect(await house.statuses()).toEqual([status, 'sent'])
  await house.late(first, accepted('n1'))
  await house.receipts({ n1: 'delivered' })
  expect(await house.statuses()).toEqual([status, 'delivered'])
}) // prettier-ignore

test('a yes that is said again when its receipts were forgotten tells of no receipt', async () => {
  const [first, second] = await beginSecond()
  await house.late(first, accepted('n1'))
  await house.end(second, lost())
  await forgetReceipts()
  await house.late(first, accepted('n1'))
  expect(await house.statuses()).toEqual(['sent'])
})

test('silence on a second try that was sent after all takes nothing back of what was final', async () => {
  const [first, second] = await beginSecond()
  await house.late(first, { ...accepted('n1'), receiptExpected: false } as Outcome)
  await house.end(second, away)
  await house.late(second, accepted('n2'))
  expect((await house.rowsOf('receipts_expected')).map(({ closed_at }) => closed_at)).not.toContain(null)
  expect(await house.message()).toMatchObject({ status: 'sent', corrected: 0 })
  await house.receipts({ n2: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', corrected: 1 })
})
