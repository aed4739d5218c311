import { expect, test } from 'vitest'
import { utcDay } from '../../src/clock.ts'
import { judgeOutcome } from '../../src/dispatch/retry-policy.ts'
import { settleOutcomes } from '../../src/messages/settle-outcomes.ts'
import { openNearHouse } from './near-house.ts'

test('what is charged just before and just after midnight counts for its own UTC day, though it is stored together', async () => {
  const house = await openNearHouse()
  const lateMs = Date.parse('2026-11-21T23:59:59.999Z')
  await house.send({ parts: 2 })
  await house.send({ parts: 3 })
  const [first, second] = [await house.claim(), await house.claim()]
  house.clock.jumpWallClock(lateMs - house.clock.now())
  const taken = { kind: 'accepted', networkIds: [], receiptExpected: false } as const
  await house.store.writer.write((tx) =>
    settleOutcomes(tx, [judgeOutcome(first, taken, lateMs), judgeOutcome(second, taken, lateMs + 1)]),
  )
  const days = await house.store.db.selectFrom('usage_days').select(['day', 'parts']).orderBy('day').execute()
  expect(days).toEqual([
    { day: utcDay(lateMs), parts: 2 },
    { day: utcDay(lateMs) + 1, parts: 3 },
  ])
  await house.sums()
  await house.close()
})
