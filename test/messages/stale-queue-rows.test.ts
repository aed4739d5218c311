import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { realKinds } from '../../src/connectors/registry.ts'
import { cancelWaiting, expireWaiting } from '../../src/messages/queue/finish-queued.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { type UnitHouse, openUnitHouse } from './unit-house.ts'
import { changeOnDemand, takeChange } from '../../src/messages/core/change-number.ts'

let house: UnitHouse
beforeEach(async () => {
  house = await openUnitHouse()
  onTestFinished(() => house.close())
})

const waiting = () => house.store.db.selectFrom('queue').selectAll().execute()

/** A message that was sent, and a row of the queue that should have gone with it. */
async function leaveStaleRow(): Promise<void> {
  await house.send()
  const rows = await waiting()
  const totals = await house.store.db.selectFrom('queue_totals').selectAll().execute()
  const claimed = await house.claim()
  await house.end(claimed, { kind: 'accepted', networkIds: ['n1'], receiptExpected: true })
  await house.store.writer.write(async (tx) => {
    await insertRows(tx, 'queue', rows)
    for (const { messages, parts, next_expiry_at } of totals)
      await tx.updateTable('queue_totals').set({ messages, parts, next_expiry_at }).execute()
  })
}

test('a claim drops a row whose message is done, and the next gives what waits behind it', async () => {
  await leaveStaleRow()
  await house.send({ text: 'The second' })
  await expect(house.claim()).rejects.toThrow('there was nothing to claim')
  expect(await house.claim()).toMatchObject({ text: 'The second' })
  expect(await waiting()).toEqual([])
  await house.sums()
})

test('the end of a validity drops it too', async () => {
  await leaveStaleRow()
  const later = house.clock.now() + 7 * 86_400_000
  expect(
    await house.store.writer.write((tx) =>
      expireWaiting(tx, { nowMs: later, take: changeOnDemand(tx, later) }, 100, realKinds),
    ),
  ).toEqual([])
  expect(await waiting()).toEqual([])
  await house.sums()
})

const cancelOne = (scope: Parameters<typeof cancelWaiting>[2], code: string) =>
  house.store.writer.write(async (tx) =>
    cancelWaiting(tx, await takeChange(tx, house.clock.now()), scope, { trigger: 'canceled', code }, 1),
  )

test.for<Parameters<typeof cancelWaiting>[2]>([{ accountId: 'acc_a' }, 'restore_hold'])(
  'a page of such rows alone is not the last of what is ended: %o',
  async (scope) => {
    await leaveStaleRow()
    await house.send({ text: 'The second' })
    await house.store.writer.write((tx) => tx.updateTable('queue').set({ restore_hold: 1 }).execute())
    const ended = await cancelOne(scope, 'canceled_by_operator')
    expect(ended).toMatchObject([{ status: 'canceled' }])
    expect(await waiting()).toEqual([])
    await house.sums()
  },
)

test('nor is one of rows that wait for an instant, whose messages are done', async () => {
  const cancelPage = () => cancelOne({ accountId: 'acc_a' }, 'account_closed')
  const sendLater = () => house.send({ sendAt: house.clock.now() + 3_600_000 })
  await sendLater()
  const rows = await house.store.db.selectFrom('deferred').selectAll().execute()
  const totals = await house.store.db.selectFrom('deferred_totals').selectAll().execute()
  expect(await cancelPage()).toHaveLength(1)
  await house.store.writer.write(async (tx) => {
    await tx.deleteFrom('deferred_totals').execute()
    await insertRows(tx, 'deferred_totals', totals)
    await insertRows(tx, 'deferred', rows)
  })
  await sendLater()
  expect(await cancelPage()).toMatchObject([{ status: 'canceled' }])
  expect(await house.store.db.selectFrom('deferred').selectAll().execute()).toEqual([])
  await house.sums()
})

test('a route of which nothing waits any more has no total', async () => {
  await house.send()
  const later = house.clock.now() + 7 * 86_400_000
  const ended = await house.store.writer.write((tx) =>
    expireWaiting(tx, { nowMs: later, take: changeOnDemand(tx, later) }, 100, realKinds),
  )
  expect(ended).toHaveLength(1)
  expect(await house.store.db.selectFrom('queue_totals').selectAll().execute()).toEqual([])
  await house.sums()
})
