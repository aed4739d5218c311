import { expect, test } from 'vitest'
import { Unstored } from '../../src/connectors/modem/receive/unstored.ts'
import { SessionTasks } from '../../src/connectors/modem/run/session-tasks.ts'
import { createWorld } from '../contracts/contract-subject.ts'

function open() {
  const { clock, tools } = createWorld()
  const seen = { taken: [] as number[], asked: 0, lost: 0, canStore: false }
  const counters = { answered: () => undefined, sessionLost: () => undefined, unparsed: () => void (seen.lost += 1) }
  const unstored = new Unstored({
    tools: { ...tools, counters },
    take: async (tpdu) => {
      seen.asked += 1
      if (!seen.canStore) return 'kept'
      seen.taken.push(tpdu.readUInt16BE())
      return 'done'
    },
  })
  const keep = (number: number): void => unstored.keep(Buffer.from([number >> 8, number & 0xff]))
  return { clock, seen, unstored, keep }
} // prettier-ignore

test('15: what could not be stored is asked for at growing pauses, and stored once and in its order', async () => {
  const { clock, seen, keep } = open()
  for (const number of [1, 2, 3]) keep(number)
  await clock.advance(600_000)
  expect(seen.asked).toBeLessThan(20)
  seen.canStore = true
  await clock.advance(60_000)
  expect([seen.taken, seen.lost, clock.waiting]).toEqual([[1, 2, 3], 0, 0])
})

test('15: it has a limit, and what is lost beyond it or at the end is counted', async () => {
  const { clock, seen, keep, unstored } = open()
  for (let number = 0; number < 1_002; number++) keep(number)
  expect(seen.lost).toBe(2)
  await unstored.stop()
  expect([seen.lost, clock.waiting]).toEqual([1_002, 0])
  const other = open()
  other.keep(7)
  other.seen.canStore = true
  await other.unstored.stop()
  expect([other.seen.taken, other.seen.lost]).toEqual([[7], 0])
})

test('15: what arrived before a line ended is taken, and nothing more is asked on it', async () => {
  const { tools } = createWorld()
  const done: string[] = []
  const tasks = new SessionTasks({ tools, isOver: () => true })
  tasks.do(async () => void done.push('asked'))
  tasks.doAnyway(async () => void done.push('taken'))
  tasks.later(0, () => done.push('later'))
  await tasks.ended
  expect(done).toEqual(['taken'])
})
