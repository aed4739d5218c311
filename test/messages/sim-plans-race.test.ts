import { afterAll, beforeAll, expect, test } from 'vitest'
import { createIds } from '../../src/runtime/ids.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { openTwoWriters, type TwoWriters } from '../two-writers.ts'
import { accepted } from './outcomes.ts'
import { openPlanned } from './plan-model.ts'

/** Two writers of one database, as nodes are to one another: a phone may fetch from either at the same instant. */
const ids = createIds({ now: Date.now })
let writers: TwoWriters
beforeAll(async () => void (writers = await openTwoWriters()))
afterAll(() => writers.close())

test(
  'two nodes that claim for one SIM at the same instant give it together what its plan includes, and no more',
  { timeout: endAfter(60_000) },
  async () => {
    const { nodes } = writers
    const [first] = nodes
    for (let round = 0; round < sizeOf('PLAN_RACES'); round++) {
      const limits = [{ partsPerDay: null, partsPerMonth: 12, numbersPerMonth: 5 }]
      const house = await openPlanned(
        { db: first.read, writers: nodes.map(({ writer }) => writer), clock: { now: Date.now }, ids },
        limits,
      )
      for (let n = 0; n < 20; n++) await house.send(`+4915112345${600 + (n % 8)}`, 1)
      await Promise.all([3, 4, 5, 6].map((quota) => house.claim(quota, [1])))
      const outcomes = [{ kind: 'unavailable', detail: '' } as const, accepted('n')]
      await Promise.all([
        ...house.counted.map((one, i) => house.end(one, outcomes[i % 2] as (typeof outcomes)[number])),
        house.claim(2, [1]),
        house.claim(3, [1]),
      ])
      await house.claim(20, [1])
      await house.compare()
      const { partsThisMonth, numbersThisMonth } = house.used(1)
      expect([partsThisMonth <= 12, numbersThisMonth <= 5]).toEqual([true, true])
      expect(house.counted.length).toBeGreaterThan(5)
    }
  },
)
