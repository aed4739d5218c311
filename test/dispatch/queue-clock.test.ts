import fc from 'fast-check'
import { expect, test } from 'vitest'
import { QueueClock } from '../../src/dispatch/routes/queue-clock.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { openTestStorage } from '../open-test-storage.ts'
import { createStubClock } from '../stub-clock.ts'

test('the time by which things are due never steps back, never lags behind the wall clock, and keeps the pace of durations', async () => {
  const steps = fc.array(
    fc.record({ stepMs: fc.integer({ min: -100_000, max: 100_000 }), passMs: fc.nat(50_000) }),
  )
  await fc.assert(
    fc.asyncProperty(steps, async (moves) => {
      const clock = createStubClock()
      const queueClock = new QueueClock(clock)
      let before = queueClock.now()
      for (const { stepMs, passMs } of moves) {
        clock.jumpWallClock(stepMs)
        const stepped = queueClock.now()
        expect(stepped).toBe(Math.max(before, clock.now()))
        await clock.advance(passMs)
        before = queueClock.now()
        expect(before).toBe(stepped + passMs)
      }
    }),
    { numRuns: 50 },
  )
})

test('at the start the end of each queue is found by its key, however much waits', async () => {
  const base = await openTestStorage()
  const { storage, clock, dataFolder } = base
  const place = {
    route_key: 'live:',
    account_id: 'acc_a',
    mode: 'live',
    parts: 1,
    expires_at: 1,
  } as const
  await storage.writer.write(async (tx) => {
    await insertRows(tx, 'queue_totals', [
      { account_id: 'acc_a', mode: 'live', route_key: 'live:', messages: 2, parts: 2, next_expiry_at: 1 },
    ])
    await insertRows(tx, 'queue', [
      { ...place, priority: 0, due_at: clock.now() + 3_600_000, message_id: 'msg_1' },
      { ...place, priority: 2, due_at: clock.now(), message_id: 'msg_2' },
    ])
  })
  const queueClock = new QueueClock(clock)
  const [statement] = await statementsOf(storage.read, () => queueClock.catchUp(storage.read))
  expect(queueClock.now()).toBe(clock.now() + 3_600_000)

  const plan = await stepsOf(dataFolder, statement!)
  expect(plan).toContain(
    isPostgres
      ? 'SEARCH queue BY queue_pkey (route_key= account_id= priority=)'
      : 'SEARCH q USING PRIMARY KEY (route_key=? AND account_id=? AND priority=?)',
  )
  expect(plan.filter((step) => /SCAN q(?!ueue_totals)|B-TREE|SORT/.test(step))).toEqual([])
  await base.close()
})
