import { expect, test } from 'vitest'
import { revokeApiKey } from '../../src/accounts/keys/api-keys.ts'
import { PumpingWatch } from '../../src/sending/pumping-watch.ts'
import { RateLimiter } from '../../src/runtime/rate-limiter.ts'
import { SlidingCount } from '../../src/runtime/sliding-count.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { SharedCounts } from '../../src/runtime/shared-counts.ts'
import { createStubClock } from '../stub-clock.ts'
import { openCluster } from './cluster.ts'

/** Nodes that tell each other their counts each 250 ms, as Broadcasts does. */
function nodes(count: number, clock = createStubClock()) {
  const all = Array.from({ length: count }, () => new SharedCounts())
  let planned = new Set<SharedCounts>()
  for (const counts of all) counts.tellBy({ isHeard: () => true, plan: () => planned.add(counts) })
  const tell = (): void => {
    const telling = planned
    planned = new Set()
    for (const counts of telling) {
      const told = counts.take()
      for (const other of all) if (other !== counts) other.hear(told)
    }
  }
  return { clock, all, tell }
}

test('four nodes together let through a minute’s quota and at most 5 % more, however the calls are spread', async () => {
  const { clock, all, tell } = nodes(4)
  const quota = { perMinute: 600, burst: 100 }
  const limiters = all.map((counts) => new RateLimiter({ clock, shared: { counts, kind: 'calls' } }))
  let through = 0
  for (let ms = 0; ms < 60_000; ms += 10) {
    for (const limiter of limiters) if (limiter.take('acc_a', quota).violated === null) through += 1
    if (ms % 250 === 0) tell()
    await clock.advance(10)
  }
  expect(through).toBeGreaterThanOrEqual(600)
  expect(through).toBeLessThanOrEqual(630)
})

test('what one node used of a quota is gone on another that is asked for the first time', () => {
  const { clock, all, tell } = nodes(2)
  const [here, there] = all.map((counts) => new RateLimiter({ clock, shared: { counts, kind: 'calls' } }))
  const quota = { perMinute: 10, burst: 10 }
  for (let i = 0; i < 8; i++) here!.take('acc_a', quota)
  tell()
  expect(there!.peek('acc_a', quota).remaining).toBe(2)
})

test('attempts to sign in count on all nodes, and those that succeeded on none', () => {
  const { clock, all, tell } = nodes(3)
  const limits = { most: 5, windowMs: 60_000 }
  const attempts = all.map(
    (counts) => new SlidingCount({ clock, shared: { counts, kind: 'signInByName' } }, limits),
  )
  const [one, two, three] = attempts as [SlidingCount, SlidingCount, SlidingCount]
  for (let i = 0; i < 3; i++) one.take('ada')
  for (let i = 0; i < 2; i++) two.take('ada')
  tell()
  expect(three.take('ada')).toBeGreaterThan(0)
  two.giveBack('ada')
  tell()
  expect(three.take('ada')).toBe(0)
  tell()
  expect(one.take('ada')).toBeGreaterThan(0)
  three.forget('ada')
  tell()
  expect(one.take('ada')).toBe(0)
})

test('codes to a number count on all nodes, and those that were not sent after all on none', () => {
  const { clock, all, tell } = nodes(2)
  const limits = { most: 3, windowMs: 600_000 }
  const [here, there] = all.map(
    (counts) => new SlidingCount({ clock, shared: { counts, kind: 'codes' } }, limits),
  ) as [SlidingCount, SlidingCount]
  for (let i = 0; i < 3; i++) here.add('acc_a:live:+4915112345678')
  tell()
  expect(there.waitSeconds('acc_a:live:+4915112345678')).toBe(600)
  here.giveBack('acc_a:live:+4915112345678')
  tell()
  expect(there.waitSeconds('acc_a:live:+4915112345678')).toBe(0)
  there.add('acc_a:live:+4915112345678')
  tell()
  expect(here.waitSeconds('acc_a:live:+4915112345678')).toBe(600)
})

test('an account that one node suspended for its codes begins anew on all nodes, and no other account does', () => {
  const { clock, all, tell } = nodes(2)
  const [here, there] = all.map((counts) => new PumpingWatch({ clock, counts })) as [
    PumpingWatch,
    PumpingWatch,
  ]
  const codes = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => `+4915177771${from + i}`)
  for (const account of ['acc_a', 'acc_b']) here.note(account, 'codes', codes(100, 5))
  tell()
  expect(there.signOf('acc_a', 'codes', codes(105, 1), 5)).toMatchObject({ numbers: 6 })
  there.forget('acc_a')
  tell()
  // An operator has looked, and lets it write again.
  for (const watch of [here, there]) expect(watch.signOf('acc_a', 'codes', codes(106, 1), 5)).toBe(null)
  expect(there.signOf('acc_b', 'codes', codes(105, 1), 5)).toMatchObject({ numbers: 6 })
})

test('a node that nobody hears gathers nothing', () => {
  const counts = new SharedCounts()
  counts.tellBy({ isHeard: () => false, plan: () => expect.unreachable() })
  counts.count('calls', 'acc_a')
  expect(counts.take()).toEqual([])
})

test('a limit that was used up on one node holds on the other', { timeout: 90_000 }, async () => {
  const cluster = await openCluster()
  const env = { ONESIXTY_READ_PER_MINUTE: '50' }
  // Whoever comes second knows of the first from its start on.
  const first = await cluster.start(env)
  const second = await cluster.start(env)
  const { liveKey } = await cluster.openAccount('Ada')
  const ask = async (url: string): Promise<number> =>
    (await fetch(`${url}/api/v1/balance`, { headers: { authorization: `Bearer ${liveKey}` } })).status
  await expect.poll(() => ask(second.url), { timeout: 10_000 }).toBe(200)
  const statuses = await Promise.all(Array.from({ length: 60 }, () => ask(second.url)))
  expect(statuses).toContain(429)
  await expect.poll(() => ask(first.url), { timeout: 5_000, interval: 300 }).toBe(429)
})

test(
  'a key that is revoked on one node is refused on every other within 5 s',
  { timeout: 90_000 },
  async () => {
    const cluster = await openCluster()
    const [north, south] = [await cluster.start(), await cluster.start()]
    const { accountId, liveKey } = await cluster.openAccount('Ada')
    const ask = async (url: string): Promise<number> =>
      (await fetch(`${url}/api/v1/balance`, { headers: { authorization: `Bearer ${liveKey}` } })).status
    for (const { url } of [north, south]) await expect.poll(() => ask(url), { timeout: 10_000 }).toBe(200)
    const key = await north.app.storage.read
      .selectFrom('api_keys')
      .select('id')
      .where('account_id', '=', accountId)
      .where('mode', '=', 'live')
      .executeTakeFirstOrThrow()
    const deps = { ids: createIds({ now: Date.now }), nowMs: Date.now() }
    await north.app.storage.writer.write((tx) => revokeApiKey(tx, deps, { keyId: key.id, actor: 'test' }))
    const revokedMs = performance.now()
    await expect.poll(() => ask(south.url), { timeout: 5_000, interval: 50 }).toBe(401)
    expect(performance.now() - revokedMs).toBeLessThan(5_000)
  },
)
