import { expect, test } from 'vitest'
import { createStubClock } from '../stub-clock.ts'
import { RateLimiter } from '../../src/runtime/rate-limiter.ts'
import { networkOf, siteOf } from '../../src/api/edge/remote-address.ts'
import { startTestApi, type TestApi, type TestApiOverrides } from './start-test-api.ts'

async function withApi(overrides: TestApiOverrides, run: (api: TestApi) => Promise<void>): Promise<void> {
  const api = await startTestApi(overrides)
  try {
    await run(api)
  } finally {
    await api.close()
  }
}
const limits = ({ headers }: { headers: Headers }) => [
  headers.get('ratelimit-policy'),
  headers.get('ratelimit'),
]

test('every authenticated answer tells quota, rest and reset of the operation it belongs to', () =>
  withApi({}, async (api) => {
    expect(limits(await api.send({}))).toEqual(['"send";q=600;w=60', '"send";r=599;t=60'])
    await api.clock.advance(12_300)
    expect(limits(await api.send({}))).toEqual(['"send";q=600;w=60', '"send";r=598;t=48'])
    expect(limits(await api.request('GET', '/api/v1/balance'))).toEqual([
      '"read";q=1200;w=60',
      '"read";r=1199;t=60',
    ])
    expect(limits(await api.request('GET', '/api/v1/status'))).toEqual([
      '"read";q=1200;w=60',
      '"read";r=1198;t=60',
    ])
    expect(limits(await api.request('GET', '/api/v1/status', { key: null }))).toEqual([null, null])
    await api.clock.advance(48_000)
    expect(limits(await api.send({}))[1]).toBe('"send";r=599;t=60')
  }))

test('beyond the quota the answer is 429 until the minute is over', () =>
  withApi({ config: { readPerMinute: 2 } }, async (api) => {
    for (const left of [1, 0]) {
      const answer = await api.request('GET', '/api/v1/balance')
      expect([answer.status, answer.headers.get('ratelimit')]).toEqual([200, `"read";r=${left};t=60`])
    }
    await api.clock.advance(20_000)
    const refused = await api.request('GET', '/api/v1/history')
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', violated_policies: ['read'] },
    })
    expect(refused.headers.get('retry-after')).toBe('40')
    expect(refused.headers.get('ratelimit')).toBe('"read";r=0;t=40')
    expect((await api.send({ to: '+4915112345678', text: 'Hello' })).status).toBe(202)
    await api.clock.advance(40_000)
    expect((await api.request('GET', '/api/v1/history')).status).toBe(200)
  }))

test('more at once than the burst is 429 for as long as the next one takes', () =>
  withApi({ config: { sendPerMinute: 60, sendBurst: 3 } }, async (api) => {
    const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await api.send({})).status))
    expect(statuses.toSorted((a, b) => a - b)).toEqual([422, 422, 422, 429])
    const refused = await api.send({})
    expect(refused.body).toMatchObject({ code: 'rate_limited', violated_policies: ['send-burst'] })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.body.detail).toMatch(/Nothing was sent\.$/)
    await api.clock.advance(1_000)
    expect((await api.send({})).status).toBe(422)
  }))

test('live and test mode, and each account, have limits of their own', () =>
  withApi({ config: { readPerMinute: 1 } }, async (api) => {
    const { liveKey, testKey } = api.account
    const read = async (key: string) => (await api.request('GET', '/api/v1/balance', { key })).status
    expect([await read(testKey), await read(testKey), await read(liveKey), await read(liveKey)]).toEqual([
      200, 429, 200, 429,
    ])
  }))

test('what an operator has set for the account comes before the setting, and 0 switches a limit off', () =>
  withApi({ config: { readPerMinute: 1, sendPerMinute: 0 } }, async (api) => {
    expect(limits(await api.send({}))).toEqual([null, null])
    const { accountId } = api.account
    await api.storage.writer.write((tx) =>
      tx
        .updateTable('accounts')
        .set({ read_per_minute: 0, send_per_minute: 7 })
        .where('id', '=', accountId)
        .execute(),
    )
    await api.clock.advance(6_000)
    for (let i = 0; i < 5; i++) expect((await api.request('GET', '/api/v1/balance')).status).toBe(200)
    expect(limits(await api.send({}))).toEqual(['"send";q=7;w=60', '"send";r=6;t=60'])
  }))

test('after too many failures an address gets 429 in the place of 401, and a valid key passes all the same', () =>
  withApi({ config: { failedAuthPerMinute: 3 } }, async (api) => {
    const fail = () => api.request('GET', '/api/v1/balance', { key: 'guess' })
    expect([(await fail()).status, (await fail()).status, (await fail()).status]).toEqual([401, 401, 401])
    const refused = await fail()
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', violated_policies: ['failed-authentication'] },
    })
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(refused.headers.get('www-authenticate')).toBeNull()
    expect((await api.request('GET', '/api/v1/balance', { key: null })).status).toBe(429)
    expect((await api.request('GET', '/api/v1/balance')).status).toBe(200)
    await api.clock.advance(60_000)
    expect((await fail()).status).toBe(401)
  }))

test('X-Forwarded-For counts only when a trusted proxy says it, and then from its end', async () => {
  const guess = (api: TestApi, forwarded: string) =>
    api.request('GET', '/api/v1/balance', { key: 'guess', headers: { 'x-forwarded-for': forwarded } })
  await withApi({ config: { failedAuthPerMinute: 1 } }, async (api) => {
    expect((await guess(api, '203.0.113.1')).status).toBe(401)
    expect((await guess(api, '203.0.113.2')).status).toBe(429)
  })
  await withApi(
    { config: { failedAuthPerMinute: 1, trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] } },
    async (api) => {
      expect((await guess(api, '203.0.113.1')).status).toBe(401)
      expect((await guess(api, '203.0.113.2')).status).toBe(401)
      expect(
        (await guess(api, '198.51.100.9, 203.0.113.1')).status,
        'what a client writes itself does not count',
      ).toBe(429)
      expect(
        (await guess(api, '203.0.113.1:4711, 10.1.1.1')).status,
        'a chain of trusted proxies is gone through',
      ).toBe(429)
      expect((await guess(api, '2001:db8:1:2::1')).status).toBe(401)
      expect((await guess(api, '[2001:db8:1:2:ffff::9]:443')).status, 'one /64 is one customer').toBe(429)
      expect((await guess(api, 'unknown')).status, 'what is no address leaves the proxy').toBe(401)
      expect((await guess(api, '')).status).toBe(429)
    },
  )
})

test('networks are IPv4 addresses and IPv6 prefixes of 64 bits', () => {
  expect(
    ['192.0.2.7', '2001:db8:1:2:3:4:5:6', '2001:db8::5', '::1', '2001:db8:0:1::'].map(networkOf),
  ).toEqual(['192.0.2.7', '2001:db8:1:2::/64', '2001:db8:0:0::/64', '0:0:0:0::/64', '2001:db8:0:1::/64'])
})

test('sites are IPv6 prefixes of 48 bits, and IPv4 has none', () => {
  expect(['192.0.2.7', '2001:db8:1:2:3:4:5:6', '2001:db8::5', '::1', '2001:db8:1::'].map(siteOf)).toEqual([
    null,
    '2001:db8:1::/48',
    '2001:db8:0::/48',
    '0:0:0::/48',
    '2001:db8:1::/48',
  ])
})

test('a list of proxies that is none stops the start', async () => {
  await expect(startTestApi({ config: { trustedProxies: ['10.0.0.0/33', 'proxy'] } })).rejects.toThrow(
    /TRUSTED_PROXIES.*10\.0\.0\.0\/33.*proxy/,
  )
})

test('a limiter keeps no more names than it may', async () => {
  const clock = createStubClock()
  const limiter = new RateLimiter({ clock }, 2)
  const quota = { perMinute: 1, burst: 1 }
  limiter.take('a', quota)
  await clock.advance(1)
  limiter.take('b', quota)
  expect(limiter.take('b', quota).violated).toBe('quota')
  limiter.take('c', quota)
  expect([limiter.take('b', quota).violated, limiter.take('c', quota).violated]).toEqual(['quota', 'quota'])
  expect(limiter.take('a', quota).violated, 'the oldest was forgotten').toBeNull()
})

test('a window is never said to last longer than a minute, whatever fraction of a millisecond it began at', () => {
  let nowMs = 0
  const limiter = new RateLimiter({ clock: { monotonicMs: () => nowMs } })
  for (let i = 0; i < 1_000; i++) {
    nowMs = 12_345.678 + i * 17.123
    expect(limiter.take(String(i), { perMinute: 1, burst: 1 }).resetSeconds).toBe(60)
  }
})

test('the bucket fills while the window goes on, and never above the burst', async () => {
  const clock = createStubClock()
  const limiter = new RateLimiter({ clock })
  const quota = { perMinute: 60, burst: 2 }
  const takeAll = (): number => {
    let taken = 0
    while (limiter.take('a', quota).violated === null) taken += 1
    return taken
  }
  const taken: number[] = []
  for (const waitMs of [0, 500, 500, 1_500, 57_500, 600_000]) {
    await clock.advance(waitMs)
    taken.push(takeAll())
  }
  expect(taken).toEqual([2, 0, 1, 1, 2, 2])
})
