import { afterAll, beforeAll, expect, test } from 'vitest'
import { releaseDue } from '../../src/messages/release-due.ts'
import { statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { openTendedHouse, type TendedHouse } from './tended-house.ts'

let house: TendedHouse
beforeAll(async () => {
  house = await openTendedHouse()
  const sendAt = house.clock.now() + 3_600_000
  for (let i = 0; i < 200; i++)
    await house.send({ sendAt: sendAt + i * 60_000, expiresAt: sendAt + 86_400_000 })
})
afterAll(() => house.close())

test('what is due is found at the front of an index, however much is scheduled, and nothing else is read while nothing is', async () => {
  const { storage, dataFolder } = house
  const { dueReleaser } = house.janitors()
  const swept = await statementsOf(storage.read, () => dueReleaser.sweepAll())
  expect(swept).toHaveLength(1)
  const nowMs = house.clock.now()
  const released = await statementsOf(storage.read, () =>
    releaseDue(storage.read as never, { dueMs: nowMs, nowMs, most: 500 }),
  )
  const steps = await stepsOf(dataFolder, ...swept, ...released)
  const reads = steps.filter((step) => /\bdeferred|\bd\b/.test(step))
  expect(reads).toHaveLength(2)
  for (const step of reads)
    expect(step).toMatch(
      isPostgres
        ? /^SEARCH deferred BY deferred_due \(wake_at<=\)/
        : /^SEARCH (deferred|d) USING (COVERING )?INDEX deferred_due \(wake_at<\?\)/,
    )
  expect(steps.filter((step) => /B-TREE|SORT/.test(step))).toEqual([])
})
