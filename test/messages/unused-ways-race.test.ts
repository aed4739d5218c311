import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeWays } from '../../src/devices/routes/ways-store.ts'
import { unusedWayRemover } from '../../src/dispatch/sweepers/unused-ways.ts'
import { keepNumber, takeChange } from '../../src/messages/core/change-number.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { openTwoWriters, type TwoWriters } from '../two-writers.ts'

/** Two writers of one database, as nodes are to one another: one accepts, one removes. */
let writers: TwoWriters
beforeAll(async () => void (writers = await openTwoWriters()))
afterAll(() => writers.close())

test(
  'a way that a node removes while another one accepts messages with it is there once they are accepted',
  { timeout: endAfter(60_000) },
  async () => {
    const [accepting, removing] = writers.nodes
    const clock = { now: Date.now, monotonicMs: () => performance.now(), schedule: () => () => undefined }
    const [inUse, unused] = ['in_use', 'unused'].map((id) => ({ id, text: '{"stages":[{"use":["own"]}]}' })) as [{ id: string; text: string }, { id: string; text: string }] // prettier-ignore
    const accept = (way: typeof inUse, atMs = Date.now()) =>
      accepting.writer.write(async (tx) => {
        const unit = await takeChange(tx, atMs)
        await keepNumber(tx, unit, ['acc_a'])
        await storeWays(tx, [{ ways: [way] }], unit)
      })
    for (let round = 0; round < sizeOf('WAY_RACES'); round++) {
      await accepting.writer.write(async (tx) => {
        await storeWays(tx, [{ ways: [inUse, unused] }], { atMs: 1 })
        await tx.updateTable('ways').set({ used_at: 1 }).execute()
      })
      const remover = unusedWayRemover({ read: removing.read, writer: removing.writer, clock })
      await accept({ ...unused, id: `other_${round}` })
      await Promise.all([remover(), accept(inUse)])
      const left = await accepting.read.selectFrom('ways').select(['id', 'used_at']).execute()
      expect(left.map(({ id }) => id)).toContain('in_use')
      expect(left.map(({ id }) => id)).not.toContain('unused')
    }
  },
)
