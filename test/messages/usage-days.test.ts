import { expect, test } from 'vitest'
import { utcDay } from '../../src/runtime/clock.ts'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import { openUnitHouse } from './unit-house.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

test('what is charged just before and just after midnight counts for its own UTC day, though it is stored together', async () => {
  const house = await openUnitHouse()
  const lateMs = Date.parse('2026-11-21T23:59:59.999Z')
  await house.send({ parts: 2 })
  await house.send({ parts: 3 })
  const [first, second] = [await house.claim(), await house.claim()]
  house.clock.jumpWallClock(lateMs - house.clock.now())
  const taken = { kind: 'accepted', networkIds: [], receiptExpected: false } as const
  await house.store.writer.write((tx) =>
    settleOutcomes(
      tx,
      [judgeOutcome(first, taken, lateMs), judgeOutcome(second, taken, lateMs + 1)],
      takeChange(tx, lateMs + 1),
    ),
  )
  const days = await house.store.db.selectFrom('usage_days').select(['day', 'parts']).orderBy('day').execute()
  expect(days).toEqual([
    { day: utcDay(lateMs), parts: 2 },
    { day: utcDay(lateMs) + 1, parts: 3 },
  ])
  await house.sums()
  await house.close()
})

test('the cap of a key is that of the day of each send, on both sides of a midnight in one batch', async () => {
  const house = await openUnitHouse()
  const lateMs = Date.parse('2026-11-21T23:59:59.999Z')
  const used = { key_id: 'key_a', day: utcDay(lateMs), parts: 8 }
  await house.store.writer.write(async (tx) => {
    const key = {
      id: 'key_a',
      account_id: 'acc_a',
      name: 'A',
      mode: 'live',
      scopes: 'send',
      created_at: lateMs,
    } as const
    await tx
      .insertInto('api_keys')
      .values({ ...key, hash: '0'.repeat(64), last_four: 'aaaa' })
      .execute()
    await tx.insertInto('api_key_usage').values(used).execute()
  })
  const [over, fits, full] = await house.sendTogether([
    { dailyCap: 10, createdAt: lateMs, parts: 3 },
    { dailyCap: 10, createdAt: lateMs + 1, parts: 9 },
    { dailyCap: 10, createdAt: lateMs, parts: 2 },
  ])
  expect(over).toMatchObject({
    kind: 'refused',
    extra: { violated_policies: ['key-daily-cap'], headers: { 'retry-after': '1' } },
  })
  expect([fits?.kind, full?.kind]).toEqual(['accepted', 'accepted'])
  const days = await house.store.db
    .selectFrom('api_key_usage')
    .select(['day', 'parts'])
    .orderBy('day')
    .execute()
  expect(days).toEqual([
    { day: utcDay(lateMs), parts: 10 },
    { day: utcDay(lateMs) + 1, parts: 9 },
  ])
  await house.close()
})
