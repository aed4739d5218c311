import { expect, test } from 'vitest'
import { createDispatchUnits } from '../../src/dispatch/submissions/dispatch-units.ts'
import { StorageError } from '../../src/storage/seam/dialect.ts'

test('what was claimed while how far the database is cannot be written leaves nowhere, and nothing more is claimed until it can', async () => {
  const known: number[] = []
  let [inDatabase, written, isBroken] = [7, 7, true]
  const progress = {
    progress: 7,
    catchUp() {
      if (written === progress.progress) return
      if (isBroken) throw new StorageError('not written', 'unavailable', false)
      written = progress.progress
    },
    write(said: number) {
      progress.progress = said
      progress.catchUp()
    },
  }
  const { claim } = createDispatchUnits({
    storage: {
      runUnit: async (_name: string, input: { known: number }) => {
        known.push(input.known)
        return { claimed: [], counts: [1], progress: ++inDatabase }
      },
      priorityRead: { getExecutor: () => ({ adapter: { clockQuery: null } }) },
    },
    clock: { now: () => 0 },
    changes: { after: async (writing: Promise<unknown>) => writing },
    quiet: { withHours: (requests: unknown) => requests },
    progress,
  } as unknown as Parameters<typeof createDispatchUnits>[0])
  const input = { requests: [], nowMs: 0, dueMs: 0, fence: 1 }
  await expect(claim(input)).rejects.toThrow('not written')
  for (let i = 0; i < 3; i++) await expect(claim(input)).rejects.toThrow('not written')
  expect(known).toEqual([7])
  isBroken = false
  expect(await claim(input)).toMatchObject({ counts: [1] })
  // The one that was given back counts as seen.
  expect([known, written]).toEqual([[7, 8], 9])
})
