import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { LiveFeed } from '../../src/api/console/core/live-feed.ts'
import { createStubClock, type StubClock } from '../stub-clock.ts'

let clock: StubClock
let feed: LiveFeed
let reads: string[]

beforeEach(() => {
  clock = createStubClock()
  reads = []
  feed = new LiveFeed({
    clock,
    failed: (error) => {
      throw error
    },
    sources: [
      {
        topic: 'messages',
        read: async ({ accountId }, since) => {
          reads.push(accountId)
          const count = ((since as number | undefined) ?? 0) + 1
          return { event: { count }, next: count }
        },
      },
    ],
  })
})

/** A browser that looks on at an account; `isAsleep` takes nothing that is written. */
function look(accountId: string, isAsleep = false): { response: Writable; text(): string } {
  let text = ''
  const response = new Writable({
    highWaterMark: isAsleep ? 1 : 65_536,
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      if (!isAsleep) done()
    },
  })
  feed.open({ accountId, mode: 'live' }, response as unknown as ServerResponse)
  return { response, text: () => text }
}

describe('a live feed', () => {
  test('reads once for all that changes within 150 ms, and only for those who look on', async () => {
    const ada = look('acc_a')
    look('acc_b')
    await clock.advance(0)
    reads.length = 0
    for (let i = 0; i < 100; i++) feed.changed('acc_a')
    await clock.advance(149)
    expect(reads).toEqual([])
    await clock.advance(1)
    expect(reads).toEqual(['acc_a'])
    expect(ada.text()).toContain('event: messages\ndata: {"count":2}\n\n')
    feed.changed(null)
    await clock.advance(150)
    expect(reads.toSorted()).toEqual(['acc_a', 'acc_a', 'acc_b'])
  })

  test('costs nothing while nobody looks on', async () => {
    const { response } = look('acc_a')
    response.destroy()
    await clock.advance(0)
    reads.length = 0
    feed.changed('acc_a')
    feed.changed(null)
    await clock.advance(60_000)
    expect({ reads, waiting: clock.waiting, count: feed.count() }).toEqual({
      reads: [],
      waiting: 0,
      count: 0,
    })
  })

  test('finds what nobody tells of within 5 s', async () => {
    look('acc_a')
    await clock.advance(0)
    reads.length = 0
    await clock.advance(5_000)
    expect(reads).toEqual(['acc_a'])
  })

  test('drops a client that takes nothing for 20 s, and writes nothing more to it', async () => {
    const { response } = look('acc_a', true)
    await clock.advance(0)
    for (let i = 0; i < 100; i++) {
      feed.changed('acc_a')
      await clock.advance(150)
    }
    expect(response.writableLength).toBeLessThan(500)
    expect(response.destroyed).toBe(false)
    await clock.advance(5_000)
    expect(response.destroyed).toBe(true)
    expect(feed.count()).toBe(0)
  })

  test('ends after ten minutes, so that whoever was signed out looks on no longer', async () => {
    const { response } = look('acc_a')
    await clock.advance(599_000)
    expect(response.writableEnded).toBe(false)
    await clock.advance(5_000)
    expect(response.writableEnded).toBe(true)
    await clock.advance(1)
    expect(feed.count()).toBe(0)
  })
})
