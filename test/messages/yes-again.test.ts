import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import { accepted, type LostHouse, openLostHouse } from './lost-house.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

/** A commit whose answer was lost is tried again: the yes of a first try, kept while the second is open, is said twice. */
let house: LostHouse
let first: Claimed
let second: Claimed
beforeEach(async () => {
  house = await openLostHouse()
  first = await house.loseSecondPart()
  second = await house.claim()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

test.for([
  ['of which one part took an id', ['n1']],
  ['of which both parts did', ['n1', 'n2']],
] as const)('a message %s is not delivered by it: no receipt has come', async ([, ids]) => {
  await house.late(first, accepted(...ids))
  await house.clock.advance(1)
  await house.late(first, accepted(...ids))
  expect(await house.statuses()).toEqual(['sending'])
  await house.end(second, { kind: 'unavailable', detail: 'gone' })
  await house.receipts(Object.fromEntries(ids.map((id) => [id, 'undelivered'])))
  expect(await house.message()).toMatchObject({ status: 'undelivered', charged: 2 })
})

test('by a node that stood still, it brings back no receipt that was heard', async () => {
  await house.end(first, accepted('n1', 'n2'))
  await house.receipts({ n1: 'delivered' })
  await house.clock.advance(1)
  await house.end(first, accepted('n1', 'n2'))
  await house.end(second, { kind: 'unavailable', detail: 'gone' })
  expect(await house.statuses()).toEqual(['sent'])
  await house.receipts({ n2: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 2 })
})

test('of a try that stood as refused, it ends the wait for the next, once', async () => {
  await house.end(second, { kind: 'unavailable', detail: 'gone' })
  const yes = { ...accepted('n4'), receiptExpected: false } as Outcome
  await house.end(second, yes)
  await house.end(second, yes)
  expect(await house.message()).toMatchObject({ status: 'sent', charged: 2 })
  expect(await house.rowsOf('queue')).toEqual([])
})

test('it takes no id back that another message has since', async () => {
  await house.end(second, accepted('n3'))
  await house.receipts({ n3: 'delivered' })
  await house.send()
  await house.end(await house.claim(), accepted('n3'))
  await house.clock.advance(1)
  await house.end(second, accepted('n3'))
  await house.receipts({ n3: 'undelivered' })
  expect(await house.statuses()).toEqual(['delivered', 'undelivered'])
})

test('who loses one id to another message in a unit, in which its other id was of an older one, waits for neither', async () => {
  await house.end(second, accepted('n2'))
  await house.send({ parts: 2 })
  const mid = await house.claim()
  await house.send()
  const newest = await house.claim()
  const told = [
    judgeOutcome(mid, accepted('m1', 'n2'), house.clock.now()),
    judgeOutcome(newest, accepted('m1'), house.clock.now()),
  ]
  await house.store.writer.write((tx) => settleOutcomes(tx, told, takeChange(tx, house.clock.now())))
  const open = (await house.rowsOf('receipts_expected')).filter((row) => row.closed_at === null)
  expect(open.map((row) => row.message_id)).toEqual([newest.messageId])
})
