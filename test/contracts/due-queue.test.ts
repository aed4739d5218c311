import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DueQueue } from '../../src/connectors/simulator/due-queue.ts'
import { createStubClock } from '../stub-clock.ts'

const delays = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 200 })

test('says each item when it is due and never before, in order, the older first', async () => {
  const property = fc.asyncProperty(delays, fc.integer({ min: 0, max: 250 }), async (delaysMs, waitedMs) => {
    const clock = createStubClock()
    const said: { item: number; atMs: number }[] = []
    const queue = new DueQueue<number>({
      tools: clock,
      deliver: async (item) => void said.push({ item, atMs: clock.monotonicMs() }),
    })
    delaysMs.forEach((delayMs, item) => queue.add(item, delayMs))
    expect(said).toEqual([])
    await clock.advance(waitedMs)
    const due = delaysMs.map((atMs, item) => ({ item, atMs })).filter(({ atMs }) => atMs <= waitedMs)
    expect(said).toEqual(due.toSorted((a, b) => a.atMs - b.atMs || a.item - b.item))
  })
  await fc.assert(property, { numRuns: 100 })
})

test('holds one timer, however many items wait', () => {
  const clock = createStubClock()
  const queue = new DueQueue<number>({ tools: clock, deliver: () => Promise.resolve() })
  for (let item = 0; item < 1000; item++) queue.add(item, (item * 37) % 500)
  expect(clock.waiting).toBe(1)
})

test('says no more while 10,000 items are not yet heard, and the rest as they are', async () => {
  const clock = createStubClock()
  const heard: (() => void)[] = []
  const queue = new DueQueue<number>({
    tools: clock,
    deliver: () => new Promise((resolve) => heard.push(resolve)),
  })
  for (let item = 0; item < 30_000; item++) queue.add(item, Math.floor(item / 100))
  await clock.advance(1000)
  expect(heard).toHaveLength(10_000)
  for (const resolve of heard.slice(0, 5000)) resolve()
  await clock.advance(0)
  await clock.advance(0)
  expect(heard).toHaveLength(15_000)
})

test('says what was rejected again after 1 s, 2 s, 4 s and so on, at most 30 s apart', async () => {
  const clock = createStubClock()
  const saidAtMs: number[] = []
  const queue = new DueQueue<string>({
    tools: clock,
    deliver: () => {
      saidAtMs.push(clock.monotonicMs())
      return saidAtMs.length < 9 ? Promise.reject(new Error('full')) : Promise.resolve()
    },
  })
  queue.add('receipt', 0)
  await clock.advance(3_600_000)
  const pausesMs = saidAtMs.slice(1).map((atMs, i) => atMs - (saidAtMs[i] ?? 0))
  expect(pausesMs).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
})

test('says nothing after it was stopped, not even what was being said', async () => {
  const clock = createStubClock()
  let said = 0
  let reject: (error: Error) => void = () => undefined
  const queue = new DueQueue<string>({
    tools: clock,
    deliver: () => {
      said += 1
      return new Promise((_, fail) => (reject = fail))
    },
  })
  queue.add('first', 0)
  queue.add('second', 1000)
  await clock.advance(1)
  queue.stop()
  reject(new Error('gone'))
  queue.add('third', 0)
  await clock.advance(100_000)
  expect(said).toBe(1)
  expect(clock.waiting).toBe(0)
})
