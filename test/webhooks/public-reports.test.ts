import { connect, type NetConnectOpts, Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { removeEndpoint } from '../../src/webhooks/endpoint-store.ts'
import { post, type PostDeps } from '../../src/webhooks/post.ts'
import { replayEvent } from '../../src/webhooks/replay.ts'
import { retryDelaysMs } from '../../src/webhooks/retry-schedule.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { answered, anywhere, openWebhookHouse, type WebhookHouse } from './webhook-house.ts'

/** Each is what somebody reported of another sender of webhooks: docs/reliability.md says of which. */

let receiver: Receiver
beforeAll(async () => {
  receiver = await openReceiver()
})
afterAll(() => receiver.close())
let house: WebhookHouse
beforeEach(async () => {
  receiver.received.length = 0
  receiver.handle = (_, response) => void response.end('ok')
  house = await openWebhookHouse()
})
afterEach(() => house.close())

const deps: PostDeps = { guard: anywhere, findAddresses: async () => ['127.0.0.1'], timeoutMs: 1_500 }
const exchange = (path: string, body = '{}', more: Partial<PostDeps> = {}) =>
  post({ ...deps, ...more }, new URL(path, receiver.url), { headers: {}, body })

test('of a host with several addresses one that is silent keeps nobody from the next', async () => {
  const asked: string[] = []
  const silent = ((options: NetConnectOpts & { host: string }) => {
    asked.push(options.host)
    return options.host === '192.0.2.1' ? new Socket() : connect(options)
  }) as PostDeps['connect'] & object
  const found = { findAddresses: async () => ['192.0.2.1', '127.0.0.1'], connect: silent }
  expect(await exchange('/', '{}', found)).toMatchObject({ kind: 'answered', status: 200 })
  expect(asked).toEqual(['192.0.2.1', '127.0.0.1'])
  expect(await exchange('/', '{}', { ...found, findAddresses: async () => ['127.0.0.1', '192.0.2.1'] })).toMatchObject({ status: 200 })
  expect(await exchange('/', '{}', { ...found, findAddresses: async () => ['192.0.2.1'] })).toMatchObject({ because: 'timed_out' })
}) // prettier-ignore

test.for([
  '/hook?promptTo=576%3Aabc&promptTo=577%3Aabc',
  '/a%2Fb/%C3%BC?q=a+b%20c%26d',
  '/hook/',
  '/hook',
  '/?a&b=',
])('the path and the query are asked for as they stand: %s', async (path) => {
  await exchange(path)
  expect(receiver.received).toMatchObject([{ path }])
})

test('hints before the answer are not taken for it, nor another protocol for silence', async () => {
  receiver.handle = (_, response) => {
    response.writeProcessing()
    response.writeEarlyHints({ link: '</a>; rel=preload' }, () => response.writeHead(202).end())
  }
  expect(await exchange('/')).toMatchObject({ kind: 'answered', status: 202 })
  receiver.handle = (request) => void request.socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n')
  expect(await exchange('/')).toMatchObject({ kind: 'answered', status: 101 })
}) // prettier-ignore

test('letters beyond ASCII are counted and signed as the bytes that are sent', async () => {
  const { secret } = await house.addEndpoint()
  await house.send({ text: 'Grüße 👋🏽 ñ \u2028' })
  await house.deliverer.drain()
  const { headers, body } = house.posted[0]!
  await post(deps, new URL(receiver.url), { headers, body })
  const [got] = receiver.received
  expect(Number(got?.headers['content-length'])).toBe(Buffer.byteLength(body))
  vi.setSystemTime(house.clock.now())
  expect(new Webhook(secret).verify(Buffer.from(got!.body), { ...headers })).toMatchObject({
    data: { message: { text: 'Grüße 👋🏽 ñ \u2028' } },
  })
  vi.useRealTimers()
})

test('each try is signed with its own time, so that no late one is taken for a replay', async () => {
  const { secret } = await house.addEndpoint()
  house.answer = () => answered(500)
  await house.send()
  await house.deliverer.drain()
  for (const delayMs of retryDelaysMs.slice(0, 4)) await house.after(delayMs)
  expect(house.posted).toHaveLength(5)
  for (const { atMs, body, headers } of house.posted) {
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(atMs / 1_000)))
    vi.setSystemTime(atMs)
    expect(() => new Webhook(secret).verify(body, { ...headers })).not.toThrow()
  }
  vi.useRealTimers()
})

test('an endpoint that is removed is told nothing more, whatever waits for it', async () => {
  const { endpointId } = await house.addEndpoint()
  house.answer = () => answered(500)
  await house.send()
  await house.send()
  await house.deliverer.drain()
  const before = (await house.deliveries()).map(({ token }) => token)
  const named = { accountId: 'acc_a', endpointId, actor: 'test' }
  const base = { ids: house.ids, nowMs: house.clock.now() }
  await house.storage.writer.write((tx) => removeEndpoint(tx, base, named))
  for (const delayMs of retryDelaysMs) await house.after(delayMs)
  expect((await house.deliveries()).map(({ token }) => token)).toEqual(before)
})

test('what was given up and is asked for again has all its tries again', async () => {
  const { endpointId } = await house.addEndpoint()
  house.answer = () => answered(500)
  await house.send()
  await house.deliverer.drain()
  for (const delayMs of retryDelaysMs) await house.after(delayMs)
  expect(await house.deliveries()).toMatchObject([{ outcome: 'given_up' }])
  const eventId = (await house.deliveries())[0]!.event_id
  const base = { ids: house.ids, nowMs: house.clock.now() }
  const again = { accountId: 'acc_a', endpointId, eventId, actor: 'test' }
  await house.storage.writer.write((tx) => replayEvent(tx, base, again))
  await house.after(0)
  expect(await house.deliveries()).toMatchObject([{ outcome: null, failures: 1 }])
  house.answer = () => answered(200)
  await house.after(60_000)
  expect(await house.deliveries()).toMatchObject([{ outcome: 'delivered' }])
})
