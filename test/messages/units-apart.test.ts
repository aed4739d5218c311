import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

let house: TestStorage
beforeAll(async () => {
  house = await openTestStorage()
})
afterAll(() => house.close())

/** What a unit does before it is done or fails. */
type Step = 'write' | 'read' | 'fail' | 'break a rule'

class Failed extends Error {}

async function runUnit(tx: Tx, name: string, steps: readonly Step[]): Promise<void> {
  for (const [i, step] of steps.entries()) {
    if (step === 'fail') throw new Failed()
    if (step === 'read') await tx.selectFrom('users').select('id').limit(1).execute()
    else {
      const id = step === 'write' ? `${name}-${i}` : 'taken'
      const row = { id, email: id, name, is_operator: 0 as const, created_at: 0 }
      await insertRows(tx, 'users', step === 'write' ? [row] : [row, row])
    }
  }
}

test('units that share a transaction are stored or not each by itself, whatever they had done when they failed', async () => {
  const step = fc.constantFrom<Step>('write', 'read', 'fail', 'break a rule')
  const { storage } = house
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 3 }), { minLength: 1, maxLength: 5 }),
      async (units) => {
        run += 1
        const before = storage.writer.commits
        const settled = await Promise.allSettled(
          units.map((steps, i) => storage.writer.write((tx) => runUnit(tx, `${run}-${i}`, steps))),
        )
        const isBad = (steps: readonly Step[]): boolean =>
          steps.includes('fail') || steps.includes('break a rule')
        expect(settled.map(({ status }) => status)).toEqual(
          units.map((steps) => (isBad(steps) ? 'rejected' : 'fulfilled')),
        )
        const stored = await storage.read
          .selectFrom('users')
          .select('id')
          .where('id', 'like', `${run}-%`)
          .orderBy('id')
          .execute()
        const wanted = units.flatMap((steps, i) =>
          isBad(steps) ? [] : steps.flatMap((each, j) => (each === 'write' ? [`${run}-${i}-${j}`] : [])),
        )
        expect(stored.map(({ id }) => id)).toEqual(wanted.toSorted())
        expect(storage.writer.commits - before).toBeLessThanOrEqual(1)
      },
    ),
    { numRuns: 60 },
  )
})
