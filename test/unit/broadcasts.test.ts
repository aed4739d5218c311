import { expect, test } from 'vitest'
import { Broadcasts } from '../../src/dispatch/nodes/broadcasts.ts'
import { createLog } from '../../src/process/log.ts'
import { ChangeHints } from '../../src/messages/core/change-hints.ts'
import { SharedCounts } from '../../src/runtime/shared-counts.ts'
import { maxPayloadOctets, type Signals, type SignalsListener } from '../../src/storage/seam/signals.ts'
import { createStubClock } from '../stub-clock.ts'

/** A node whose words go through unless they are stopped; `told` are the counts of those that did. */
async function startNode() {
  const clock = createStubClock()
  const counts = new SharedCounts()
  const lines: string[] = []
  const told: unknown[] = []
  const routes: unknown[] = []
  let on!: SignalsListener
  const way = { isOpen: true }
  const signals: Signals = {
    get isListening() {
      return way.isOpen
    },
    async send(word) {
      expect(Buffer.byteLength(word)).toBeLessThanOrEqual(maxPayloadOctets)
      const said = JSON.parse(word) as { counts?: unknown[]; routes?: unknown[] }
      if (way.isOpen) told.push(...(said.counts ?? []))
      if (said.routes !== undefined) routes.push(said.routes)
      return way.isOpen
    },
    async listen(listener) {
      on = listener
    },
    close: async () => undefined,
  }
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  const news = new Broadcasts({
    clock,
    log,
    signals,
    epoch: 1,
    hasOthers: () => true,
    wake: () => undefined,
    changes: new ChangeHints(),
    counts,
  })
  await news.start()
  return { clock, counts, told, routes, lines, way, on, news }
}

test('what was counted while the way was away is told when it is back, once', async () => {
  const { clock, counts, told, way } = await startNode()
  way.isOpen = false
  for (let i = 0; i < 30; i++) counts.count('calls', `acc_${i}`)
  await clock.advance(5_000)
  counts.count('calls', 'acc_0')
  way.isOpen = true
  await clock.advance(1_000)
  expect(told).toHaveLength(30)
  expect(told).toContainEqual(['calls', 'acc_0', 2])
  expect(told).toContainEqual(['calls', 'acc_29', 1])
  await clock.advance(10_000)
  expect(told).toHaveLength(30)
})

test('what was counted longer than a minute ago is told no more, and nothing is tried for it for ever', async () => {
  const { clock, counts, told, way } = await startNode()
  way.isOpen = false
  counts.count('calls', 'acc_a')
  await clock.advance(61_000)
  expect(clock.waiting).toBe(0)
  way.isOpen = true
  counts.count('calls', 'acc_b')
  await clock.advance(1_000)
  expect(told).toEqual([['calls', 'acc_b', 1]])
})

test('long names go in more words than short ones, and none is left out', async () => {
  const { clock, counts, told, lines, way } = await startNode()
  const names = Array.from({ length: 60 }, (_, i) => `${'\u00e4'.repeat(i * 30)}${i}`)
  way.isOpen = false
  for (const name of names) counts.count('calls', name)
  await clock.advance(1_000)
  way.isOpen = true
  await clock.advance(1_000)
  expect(told).toEqual(names.map((name) => ['calls', name, 1]))
  expect(lines).toEqual([])
})

test('what waits is told at once after a silence, and then no more often than each 25 ms', async () => {
  const { clock, news, routes } = await startNode()
  const waits = (routeKey: string) => news.waits({ accountId: 'acc_a', mode: 'live', routeKey })
  const route = (routeKey: string) => ['acc_a', 'live', routeKey]
  waits('live:1')
  await clock.advance(0)
  expect(routes).toEqual([[route('live:1')]])
  for (let ms = 0; ms < 25; ms++) {
    waits(`live:${ms % 2}`)
    await clock.advance(1)
  }
  expect(routes.slice(1)).toEqual([[route('live:0'), route('live:1')]])
  await clock.advance(1_000)
  waits('live:2')
  await clock.advance(0)
  expect(routes.at(-1)).toEqual([route('live:2')])
})

test('a name that no word holds is said in the log by its limit, and keeps back no other', async () => {
  const { clock, counts, told, lines } = await startNode()
  for (const name of ['acc_a', 'x'.repeat(8_000), 'acc_b']) counts.count('calls', name)
  await clock.advance(1_000)
  expect(told).toEqual([
    ['calls', 'acc_a', 1],
    ['calls', 'acc_b', 1],
  ])
  expect(lines).toEqual([expect.stringContaining('"limit":"calls"')])
  expect(lines[0]).not.toContain('xxx')
})

test('that nothing is heard stands in the log, and so does that it is again', async () => {
  const { lines, on } = await startNode()
  on.missed()
  expect(lines).toEqual([])
  on.lost()
  on.missed()
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    expect.stringContaining('receives no broadcasts'),
    expect.stringContaining('receives broadcasts again'),
  ])
})
