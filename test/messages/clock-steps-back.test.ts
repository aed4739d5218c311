import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { moveMessages } from '../../src/messages/queue/move-messages.ts'
import { realKinds } from '../../src/connectors/registry.ts'
import { releaseDue } from '../../src/messages/queue/release-due.ts'
import { openUnitHouse, type UnitHouse } from './unit-house.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

/** Each is about times that are written: which messages go, and when, is the subject of test/dispatch/wall-clock.test.ts. */
const hourMs = 3_600_000

let house: UnitHouse
beforeEach(async () => {
  house = await openUnitHouse()
})
afterEach(() => house.close())

const outcomes: [string, Outcome][] = [
  ['sent', { kind: 'accepted', networkIds: ['n1'], receiptExpected: false }],
  ['refused', { kind: 'refused', lasts: 'good', code: 'no_service', networkCode: null }],
  ['unknown', { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no answer' }],
]

test.for(outcomes)(
  'a message that is %s before it was claimed, by its clock, is told at the time of its claim',
  async ([, outcome]) => {
    await house.send()
    house.clock.jumpWallClock(1_000)
    const claimed = await house.claim()
    const { updated_at: claimedAt } = await house.message()
    house.clock.jumpWallClock(-hourMs)
    await house.end(claimed, outcome)
    expect(await house.message()).toMatchObject({
      updated_at: claimedAt,
      finalized_at: claimedAt,
      settled_at: claimedAt,
    })
  },
)

test('a receipt that comes before the message was sent, by its clock, counts from when it was sent', async () => {
  await house.send()
  const claimed = await house.claim()
  await house.end(claimed, { kind: 'accepted', networkIds: ['n1'], receiptExpected: true })
  const { sent_at: sentAt } = await house.message()
  house.clock.jumpWallClock(-hourMs)
  await house.receipts({ n1: 'delivered' })
  expect(await house.message()).toMatchObject({
    status: 'delivered',
    updated_at: sentAt,
    delivered_at: sentAt,
  })
})

test('a scheduled message that falls due before it was accepted, by its clock, waits from when it was accepted', async () => {
  const nowMs = await sendLater()
  await house.store.writer.write(async (tx) =>
    releaseDue(tx, await takeChange(tx, nowMs - hourMs), {
      dueMs: nowMs + 2 * hourMs,
      most: 10,
      kinds: realKinds,
    }),
  )
  expect(await house.message()).toMatchObject({ status: 'queued', updated_at: nowMs })
  expect(await house.store.db.selectFrom('queue').select('due_at').execute()).toEqual([{ due_at: nowMs }])
  await house.sums()
})

test('a scheduled message that is moved before it was accepted, by its clock, is told at the time at which it was accepted', async () => {
  const nowMs = await sendLater()
  const { account_id: accountId, mode, id: messageId } = await house.message()
  await house.store.writer.write(async (tx) =>
    moveMessages(
      tx,
      await takeChange(tx, nowMs - hourMs),
      [{ accountId, mode, messageId }],
      nowMs + 2 * hourMs,
    ),
  )
  expect(await house.message()).toMatchObject({ send_at: nowMs + 2 * hourMs, updated_at: nowMs })
  const rows = await house.store.db.selectFrom('deferred').select('wake_at').execute()
  expect(rows).toEqual([{ wake_at: nowMs + 2 * hourMs }])
  await house.sums()
})

/** For an hour later; gives when it was accepted. */
async function sendLater(): Promise<number> {
  const nowMs = house.clock.now()
  await house.send({ sendAt: nowMs + hourMs })
  return nowMs
}
