import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { judgeLate, judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import { accepted, lost, type LostHouse, openLostHouse } from './lost-house.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

/** A message whose first try was not answered is tried once more, and of that second try nothing is submitted. */
let house: LostHouse
beforeEach(async () => {
  house = await openLostHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

const refusal = (lasts: 'good' | 'now' | 'busy' | 'expired'): Outcome => ({
  kind: 'refused',
  lasts,
  code: 'network_congested',
  networkCode: '88',
})
const away: Outcome = { kind: 'unavailable', detail: 'gone' }

async function beginSecond(): Promise<[first: Claimed, second: Claimed]> {
  const first = await house.loseOne({ onUnknown: 'resend_once' })
  return [first, await house.claim()]
}

const waiting = () => house.rowsOf('queue')

test.for([
  ['was throttled', refusal('busy')],
  ['was refused for now', refusal('now')],
  ['was given back', away],
] as const)(
  'a late yes to the first takes the third out of the queue when the second %s',
  async ([, outcome]) => {
    const [first, second] = await beginSecond()
    await house.end(second, outcome)
    await house.late(first, accepted('n1'))
    expect(await house.message()).toMatchObject({
      status: 'sent',
      attempts: 2,
      charged: 1,
      device_id: 'dev_s',
    })
    expect(await waiting()).toEqual([])
    await house.receipts({ n1: 'delivered' })
    expect(await house.message()).toMatchObject({ status: 'delivered', charged: 1, corrected: 0 })
  },
)

test.for([
  ['was throttled', refusal('busy')],
  ['was refused for now', refusal('now')],
  ['was given back', away],
  ['was refused for good', refusal('good')],
  ['came too late', refusal('expired')],
] as const)(
  'a yes to the first that comes while the second is open counts once that %s',
  async ([, outcome]) => {
    const [first, second] = await beginSecond()
    await house.late(first, accepted('n1'))
    expect(await house.message()).toMatchObject({ status: 'sending', attempts: 2 })
    await house.end(second, outcome)
    expect(await house.message()).toMatchObject({
      status: 'sent',
      attempts: 2,
      charged: 1,
      error_code: null,
      finalized_at: null,
    })
    expect(await waiting()).toEqual([])
    await house.receipts({ n1: 'delivered' })
    expect(await house.message()).toMatchObject({ status: 'delivered', charged: 1 })
  },
)

test('what is charged is the whole message, though the second try was refused for good', async () => {
  const first = await house.loseOne({ onUnknown: 'resend_once', parts: 3 })
  const second = await house.claim()
  await house.late(first, accepted('n1', 'n2', 'n3'))
  await house.end(second, refusal('good'))
  expect(await house.wallet()).toEqual({ reserved: 0, used: 3 })
  await house.receipts({ n2: 'delivered' })
  await house.receipts({ n1: 'delivered' })
  expect(await house.statuses()).toEqual(['sent'])
  await house.receipts({ n3: 'delivered' })
  expect(await house.statuses()).toEqual(['delivered'])
})

test('that the first try did not arrive is a word on the message once nothing of the second was submitted', async () => {
  const [first, second] = await beginSecond()
  await house.end(second, away)
  await house.late(first, accepted('n1'))
  await house.receipts({ n1: 'undelivered' })
  expect(await house.message()).toMatchObject({ status: 'undelivered', charged: 1 })
})

test.for([
  ['before', ['receipt', 'yes', 'end']],
  ['after', ['yes', 'receipt', 'end']],
] as const)('the same when that is told while the second is open, %s the yes', async ([, order]) => {
  const [first, second] = await beginSecond()
  for (const step of order) {
    if (step === 'receipt') await house.receive('n1', { result: 'undelivered', numbers: [] })
    else if (step === 'yes') await house.late(first, accepted('n1'))
    else await house.end(second, away)
  }
  expect(await house.message()).toMatchObject({ status: 'undelivered', charged: 1 })
  expect(await waiting()).toEqual([])
})

test('of a second try that was taken the first tells nothing', async () => {
  const [first, second] = await beginSecond()
  await house.late(first, accepted('n1'))
  await house.receipts({ n1: 'undelivered' })
  await house.end(second, accepted('n2'))
  expect(await house.statuses()).toEqual(['sent'])
  await house.receipts({ n2: 'delivered' })
  expect(await house.statuses()).toEqual(['delivered'])
})

test('where nobody knows of the second try the yes to the first counts', async () => {
  const [first, second] = await beginSecond()
  await house.end(second, lost())
  await house.late(first, accepted('n1'))
  expect(await house.message()).toMatchObject({ status: 'sent', attempts: 2, corrected: 1 })
})

test.for([
  ['yes', ['yes', 'refusal']],
  ['refusal', ['refusal', 'yes']],
] as const)('both told in one batch, the %s first, are the same', async ([, order]) => {
  const [first, second] = await beginSecond()
  const nowMs = house.clock.now()
  const told = {
    yes: judgeLate(first, accepted('n1'), nowMs),
    refusal: judgeOutcome(second, refusal('busy'), nowMs),
  }
  const states = await house.store.writer.write((tx) =>
    settleOutcomes(
      tx,
      order.map((each) => told[each]),
      takeChange(tx, house.clock.now()),
    ),
  )
  expect(states.at(order.indexOf('refusal'))).toMatchObject({ status: 'sent' })
  expect(await house.message()).toMatchObject({ status: 'sent', attempts: 2, charged: 1 })
  expect(await waiting()).toEqual([])
})

test('the yes of a node that stood still ends the doubt about its try, though the second is open', async () => {
  const [first, second] = await beginSecond()
  await house.end(first, accepted('n1'))
  expect(await house.rowsOf('receipts_expected')).toMatchObject([{ network_id: 'n1', attempt_number: 1 }])
  await house.end(second, away)
  expect(await house.message()).toMatchObject({ status: 'sent', charged: 1 })
})

test('a yes that is said again leaves the wait for its receipts as it stands', async () => {
  const [first, second] = await beginSecond()
  await house.end(second, away)
  await house.late(first, accepted('n1'))
  const before = await house.rowsOf('receipts_expected')
  await house.late(first, accepted('n1'))
  expect(await house.rowsOf('receipts_expected')).toEqual(before)
  expect(await house.statuses()).toEqual(['sent'])
})

test('of a message that was sent, and of which nobody will know, a yes that is said again makes nothing', async () => {
  await house.send()
  const claimed = await house.claim()
  await house.end(claimed, accepted('n1'))
  await house.receipts({ n1: 'lost' })
  expect(await house.message()).toMatchObject({ status: 'unconfirmed', charged: 1 })
  await house.end(claimed, accepted('n1'))
  expect(await house.message()).toMatchObject({ status: 'unconfirmed', corrected: 0 })
})

test('said twice, it takes no id from the message that has it since', async () => {
  await house.send()
  const first = await house.claim()
  await house.end(first, accepted('n1'))
  await house.send()
  await house.end(await house.claim(), accepted('n1'))
  expect(await house.statuses()).toEqual(['unconfirmed', 'sent'])
  await house.end(first, accepted('n1'))
  await house.receipts({ n1: 'delivered' })
  expect(await house.statuses()).toEqual(['unconfirmed', 'delivered'])
})

test('a late yes whose id another message has since is not taken for heard', async () => {
  await house.send({ parts: 1 })
  const first = await house.claim()
  await house.end(first, { kind: 'unknown', networkIds: ['n1'], partsTaken: 0, detail: 'no answer' })
  await house.send()
  const second = await house.claim()
  await house.end(second, accepted('n1'))
  await house.late(first, accepted('n1'))
  expect(await house.statuses()).toEqual(['unconfirmed', 'sent'])
})
