import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { offerOf, openRoutesHouse, type TestStream } from './routes-house.ts'
import { reportOf } from './said-by-app.ts'

const until = (holds: () => void): Promise<unknown> => eventually(() => undefined, holds)

test('check 16: an event stream begins at once, with what proxies need to know, and is kept alive', async () => {
  const { clock, openStream } = await openRoutesHouse()
  const stream = await openStream()
  expect(stream.status).toBe(200)
  // A stall of the machine delays one of them; what the route waits for would delay each.
  const others = [await openStream(), await openStream()]
  expect(Math.min(...[stream, ...others].map(({ tookMs }) => tookMs))).toBeLessThan(100)
  for (const other of others) other.close()
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  })
  expect(stream.headers['content-encoding']).toBeUndefined()
  await until(() => expect(stream.text()).toMatch(/^: open\n\n/))
  await clock.advance(15_000)
  await until(() => expect(stream.text()).toContain(':keepalive\n\n'))
  stream.close()
})

test('check 17: two streams both get the event, and none is closed', async () => {
  const { phone, openStream } = await openRoutesHouse()
  const streams = [await openStream(), await openStream()]
  phone.wake()
  for (const stream of streams) {
    await until(() => expect(stream.events()).toContain('MessageEnqueued'))
    expect(stream.text()).toContain('event: MessageEnqueued\ndata: null\n\n')
    expect(stream.ended()).toBe(false)
  }
  streams[0]!.close()
  await until(() => expect(phone.health()).toMatchObject({ status: 'online', link: 'stream' }))
  expect(streams[1]!.ended()).toBe(false)
  streams[1]!.close()
  await until(() => expect(phone.isStreaming).toBe(false))
})

test('a phone has 64 streams at once and no more: the oldest, which is long dead, makes room for the next', async () => {
  const { openStream, phone } = await openRoutesHouse()
  const streams: TestStream[] = []
  for (let n = 0; n < 64; n++) streams.push(await openStream())
  await until(() => expect(streams.every((stream) => stream.text() !== '' && !stream.ended())).toBe(true))
  streams.push(await openStream())
  await until(() =>
    expect(streams.map((stream) => stream.ended())).toEqual([true, ...streams.slice(1).map(() => false)]),
  )
  expect(phone.isStreaming).toBe(true)
  for (const stream of streams) stream.close()
})

test('check 20: a phone hears of settings and webhooks that it has not read, and of no others', async () => {
  const { call, phone, openStream } = await openRoutesHouse()
  const first = await openStream()
  await until(() => expect(first.events()).toEqual(['SettingsUpdated', 'WebhooksUpdated']))
  await call('GET', '/settings')
  await call('GET', '/webhooks')
  first.close()
  phone.applySettings({ ping_interval_s: '300' })
  const second = await openStream()
  await until(() => expect(second.events()).toEqual(['SettingsUpdated']))
  await call('GET', '/settings')
  const third = await openStream()
  await until(() => expect(third.text()).toContain(': open'))
  phone.wake()
  await until(() => expect(third.events()).toEqual(['MessageEnqueued']))
  for (const stream of [second, third]) stream.close()
})

test('check 19: after a full page the phone is told to fetch again as soon as it has spoken, if more waits', async () => {
  const { call, clock, store, phone, openStream } = await openRoutesHouse()
  const stream = await openStream()
  store.offers = Array.from({ length: 20 }, (_, i) => offerOf({ attemptId: `att_${i}` }))
  await call('GET', '/message')
  await call('PATCH', '/message', { json: [reportOf('Pending')] })
  await clock.advance(15_000)
  await until(() => expect(stream.text()).toContain(':keepalive'))
  expect(stream.events()).not.toContain('MessageEnqueued')
  store.hasMore = true
  await call('PATCH', '/message', { json: [reportOf('Pending')] })
  await until(() => expect(stream.events()).toContain('MessageEnqueued'))
  expect(phone.hasBacklog).toBe(true)
  stream.close()
})

test('a fetch answers the wake-up, which is not repeated', async () => {
  const { call, clock, phone, openStream } = await openRoutesHouse()
  const stream = await openStream()
  phone.wake()
  await call('GET', '/message')
  await clock.advance(15_000)
  await until(() => expect(stream.text()).toContain(':keepalive'))
  expect(stream.events().filter((name) => name === 'MessageEnqueued')).toHaveLength(1)
  stream.close()
})

test('a phone that leaves before it is known leaves no event stream behind', async () => {
  const { clock, connections, logLines, openStream, phone, store } = await openRoutesHouse()
  const asked = Promise.withResolvers<void>()
  const known = Promise.withResolvers<void>()
  store.beforeIdentified = () => {
    asked.resolve()
    return known.promise
  }
  const leaving = new AbortController()
  const stream = openStream(leaving.signal)
  await asked.promise
  leaving.abort()
  await expect(stream).rejects.toThrow('aborted')
  await eventually(connections, (open) => expect(open).toBe(0))
  known.resolve()
  await until(() => expect(logLines.some((line) => line.includes('/mobile/v1/events'))).toBe(true))
  expect(phone.isStreaming).toBe(false)
  expect(clock.waiting).toBe(0)
})

test('the server stops with streams open, and ends them', async () => {
  const house = await openRoutesHouse()
  const stream = await house.openStream()
  await house.stop()
  await until(() => expect(stream.ended()).toBe(true))
  expect(house.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([])
})
