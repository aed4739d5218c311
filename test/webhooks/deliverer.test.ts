import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { moveMessages } from '../../src/messages/move-messages.ts'
import { eraseTexts } from '../../src/messages/erase.ts'
import { replayEvent } from '../../src/webhooks/replay.ts'
import { rotateSecret, setEndpoint } from '../../src/webhooks/endpoint-store.ts'
import { retryDelaysMs } from '../../src/webhooks/retry-schedule.ts'
import { answered, openWebhookHouse, type WebhookHouse } from './webhook-house.ts'

let house: WebhookHouse
beforeEach(async () => {
  house = await openWebhookHouse()
})
afterEach(() => house.close())

const bodyOf = (index: number) =>
  JSON.parse(house.posted[index]?.body ?? 'null') as {
    id: string
    data: { message: { text: string | null } }
  }
const deliveries = () =>
  house.storage.read.selectFrom('webhook_deliveries').selectAll().orderBy('event_id').execute()
const attempts = () =>
  house.storage.read.selectFrom('webhook_attempts').selectAll().orderBy('at').orderBy('event_id').execute()
/** For tests in which days pass: the deliverer looks at each half second of them, with a look into the database. */
const daysMs = 60_000
/** Turns the clock by so much and lets all that is due then be tried. */
const after = async (ms: number) => {
  await house.clock.advance(ms)
  await house.deliverer.drain()
} // prettier-ignore

test('an event is posted once, signed, with the message as it stood, and logged with its answer', async () => {
  const { endpointId, secret } = await house.addEndpoint()
  await house.send({ clientReference: 'order 7' })
  await house.deliverer.drain()
  expect(house.posted).toHaveLength(1)
  const { url, headers, body } = house.posted[0]!
  expect(url).toBe('https://shop.example.org/sms')
  vi.setSystemTime(house.clock.now())
  const event = new Webhook(secret).verify(body, { ...headers }) as Record<string, unknown>
  vi.useRealTimers()
  expect(event).toMatchObject({
    id: headers['webhook-id'],
    type: 'message.queued',
    timestamp: '2026-11-21T09:30:00.000Z',
    api_version: 'v1',
    mode: 'live',
    account_id: 'acc_a',
    data: {
      sequence: 1,
      previous_status: null,
      correction: false,
      message: { object: 'message', status: 'queued', client_reference: 'order 7', text: 'Hello', final: false },
    },
  })
  await after(60_000)
  expect(house.posted).toHaveLength(1)
  expect(await deliveries()).toMatchObject([{ outcome: 'delivered', failures: 0, token: 1 }])
  expect(await attempts()).toMatchObject([{ endpoint_id: endpointId, status: 200, failure: null, answer: 'noted' }])
}) // prettier-ignore

test(
  'what fails is tried again as the schedule says, under the same id and with the same state, and given up in the end',
  async () => {
    await house.addEndpoint({ types: ['message.queued'] })
    house.answer = () => answered(500)
    await house.addDevice('dev_s')
    await house.send()
    await house.dispatcher.drain()
    await house.deliverer.drain()
    for (const [i, delayMs] of retryDelaysMs.entries()) {
      expect(house.posted).toHaveLength(i + 1)
      await after(delayMs - 1)
      expect(house.posted).toHaveLength(i + 1)
      await after(1)
      expect(house.posted).toHaveLength(i + 2)
    }
    expect(new Set(house.posted.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(house.posted.map(({ body }) => body)).size).toBe(1)
    expect(new Set(house.posted.map(({ headers }) => headers['webhook-signature'])).size).toBe(10)
    expect(await house.statuses()).toEqual(['delivered'])
    expect(await deliveries()).toMatchObject([{ outcome: 'given_up', failures: 10 }])
    await after(86_400_000)
    expect(house.posted).toHaveLength(10)
  },
  daysMs,
)

test('a repeat tells the time that was planned then, and the move to another one is told by itself', async () => {
  await house.addEndpoint()
  house.answer = () => answered(500)
  const sendAt = house.clock.now() + 3_600_000
  await house.send({ sendAt, expiresAt: sendAt + 60_000 })
  await house.deliverer.drain()
  const { id: messageId } = await house.storage.read.selectFrom('messages').select('id').executeTakeFirstOrThrow()
  const nowMs = house.clock.now() + 1
  await house.storage.writer.write((tx) =>
    moveMessages(tx, [{ accountId: 'acc_a', mode: 'live', messageId }], { sendAtMs: sendAt + 86_400_000, nowMs }),
  )
  await after(5_000)
  const [first, ...others] = house.posted.map(({ body }) => body)
  expect(others).toHaveLength(2)
  expect(others).toContain(first)
  const moved = JSON.parse(others.find((body) => body !== first) as string) as object
  expect(JSON.parse(first as string)).toMatchObject({
    type: 'message.scheduled',
    data: { sequence: 1, previous_status: null, message: { send_at: '2026-11-21T10:30:00.000Z', expires_at: '2026-11-21T10:31:00.000Z' } },
  })
  expect(moved).toMatchObject({
    type: 'message.scheduled',
    data: { sequence: 2, previous_status: 'scheduled', message: { send_at: '2026-11-22T10:30:00.000Z', expires_at: '2026-11-22T10:31:00.000Z' } },
  })
}) // prettier-ignore

test('an event of before events kept the times of the plan tells those of its message', async () => {
  await house.addEndpoint()
  const sendAt = house.clock.now() + 3_600_000
  await house.send({ sendAt, expiresAt: sendAt + 60_000 })
  await house.storage.writer.write((tx) => tx.updateTable('webhook_events').set({ send_at: null, expires_at: null }).execute())
  await house.deliverer.drain()
  expect(bodyOf(0)).toMatchObject({
    type: 'message.scheduled',
    data: { message: { send_at: '2026-11-21T10:30:00.000Z', expires_at: '2026-11-21T10:31:00.000Z' } },
  })
}) // prettier-ignore

test('a text that was erased meanwhile is not told in repeats', async () => {
  await house.addEndpoint()
  house.answer = () => answered(500)
  await house.send({ text: 'Meet me at the old mill' })
  await house.deliverer.drain()
  expect(bodyOf(0).data.message.text).toBe('Meet me at the old mill')
  const rows = await house.storage.read.selectFrom('messages').select(['account_id', 'mode', 'id', 'finalized_at']).execute()
  await house.storage.writer.write((tx) => eraseTexts(tx, rows))
  await after(5_000)
  expect(bodyOf(1)).toMatchObject({ id: bodyOf(0).id, data: { message: { text: null, text_redacted: true } } })
}) // prettier-ignore

test('a receiver that asks for time is given it, up to a day', async () => {
  await house.addEndpoint()
  house.answer = () => answered(429, house.posted.length === 1 ? '120' : '99999999')
  await house.send()
  await house.deliverer.drain()
  await after(119_999)
  expect(house.posted).toHaveLength(1)
  await after(1)
  expect(house.posted).toHaveLength(2)
  await after(86_399_999)
  expect(house.posted).toHaveLength(2)
  await after(1)
  expect(house.posted).toHaveLength(3)
})

test('410 disables an endpoint at once, and its siblings and the audit log are told', async () => {
  const { endpointId } = await house.addEndpoint({ url: 'https://gone.example.org/' })
  const sibling = await house.addEndpoint({ types: ['webhook.disabled'] })
  house.answer = ({ url }) => answered(url.includes('gone') ? 410 : 200)
  await house.send()
  await house.send()
  await house.deliverer.drain()
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'disabled', disabled_because: 'gone' })
  const told = house.posted.filter(({ url }) => url.includes('shop')).map(({ body }) => JSON.parse(body) as object)
  expect(told).toMatchObject([{ type: 'webhook.disabled', data: { webhook: { id: endpointId, disabled_because: 'gone' } } }])
  const [entry] = await house.storage.read.selectFrom('audit_log').selectAll().where('action', '=', 'webhook.disabled').execute()
  expect(entry).toMatchObject({ account_id: 'acc_a', actor: 'webhooks' })
  expect((await house.endpoint(sibling.endpointId)).state).toBe('enabled')
  const before = house.posted.length
  await after(86_400_000)
  expect(house.posted.filter(({ url }) => url.includes('gone')).length).toBeLessThanOrEqual(2)
  expect(house.posted.length).toBe(before)
}) // prettier-ignore

test('five days of failures disable an endpoint; a success in between begins them anew', async () => {
  const { endpointId } = await house.addEndpoint()
  house.answer = () => ({ kind: 'failed', because: 'not_connected', detail: 'ECONNREFUSED' })
  const day = 86_400_000
  await house.send()
  await house.deliverer.drain()
  const since = house.clock.now()
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'enabled', failing_since: since })
  await after(4 * day)
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'enabled', failing_since: since })
  house.answer = () => answered(204)
  await house.send()
  await house.deliverer.drain()
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'enabled', failing_since: null })
  house.answer = () => answered(503)
  await house.send()
  await house.deliverer.drain()
  await house.send()
  await after(5 * day - 1)
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'enabled' })
  await house.send()
  await after(1)
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'disabled', disabled_because: 'failing' })
}, daysMs) // prettier-ignore

test('what waited for a disabled endpoint is told when it is enabled, and what happened meanwhile is not', async () => {
  const { endpointId } = await house.addEndpoint()
  house.answer = () => answered(500)
  await house.send()
  await house.deliverer.drain()
  const set = (state: 'enabled' | 'disabled') =>
    house.storage.writer.write((tx) =>
      setEndpoint(tx, { ids: house.ids, nowMs: house.clock.now() }, { accountId: 'acc_a', endpointId, state, actor: 'test' }),
    )
  await set('disabled')
  await house.send()
  await after(3_600_000)
  expect(house.posted).toHaveLength(1)
  house.answer = () => answered(200)
  await set('enabled')
  await after(500)
  expect(house.posted.map(({ headers }) => headers['webhook-id'])).toEqual([bodyOf(0).id, bodyOf(0).id])
}) // prettier-ignore

test('of several servers each delivery is claimed by one, and a word under an old token starts nothing', async () => {
  await house.addEndpoint()
  const other = house.anotherDeliverer()
  await other.start()
  for (let i = 0; i < 40; i++) await house.send()
  await Promise.all([house.deliverer.drain(), other.drain()])
  await Promise.all([house.deliverer.drain(), other.drain()])
  expect(house.posted).toHaveLength(40)
  expect(new Set(house.posted.map(({ headers }) => headers['webhook-id'])).size).toBe(40)
})

test('a server that never spoke of a delivery loses it when its lease ends; what it says later changes nothing', async () => {
  await house.addEndpoint()
  const other = house.anotherDeliverer()
  await other.start()
  const hanging = Promise.withResolvers<ReturnType<typeof answered>>()
  house.answer = () => (house.posted.length === 1 ? hanging.promise : answered(200))
  await house.send()
  house.deliverer.nudge()
  await vi.waitFor(() => expect(house.posted).toHaveLength(1))
  await house.clock.advance(24_999)
  await other.drain()
  expect(house.posted).toHaveLength(1)
  await house.clock.advance(1)
  await other.drain()
  expect(house.posted).toHaveLength(2)
  expect(bodyOf(1).id).toBe(bodyOf(0).id)
  expect(await deliveries()).toMatchObject([{ outcome: 'delivered', token: 2 }])
  hanging.resolve(answered(500))
  await house.deliverer.drain()
  expect(await deliveries()).toMatchObject([{ outcome: 'delivered', token: 2, failures: 0 }])
  expect((await attempts()).map(({ token, status }) => [token, status])).toEqual([[1, 500], [2, 200]])
}) // prettier-ignore

test('while a secret is rotated both sign, and afterwards the new one alone', async () => {
  const { endpointId, secret } = await house.addEndpoint()
  const { ids, clock, secretBox } = house
  const rotated = await house.storage.writer.write((tx) =>
    rotateSecret(
      tx,
      { ids, nowMs: clock.now(), secretBox, randomBytes: (count) => new Uint8Array(count).fill(9) },
      { accountId: 'acc_a', endpointId, actor: 'test', previousUntil: clock.now() + 3_600_000 },
    ),
  )
  await house.send()
  await after(0)
  await house.send()
  await after(3_600_000)
  await house.send()
  await after(0)
  const verifies = (index: number, key: string): boolean => {
    vi.setSystemTime(house.posted[index]!.atMs)
    try {
      new Webhook(key).verify(house.posted[index]!.body, { ...house.posted[index]!.headers })
      return true
    } catch {
      return false
    } finally {
      vi.useRealTimers()
    }
  }
  expect([verifies(0, secret), verifies(0, rotated.secret)]).toEqual([true, true])
  expect([verifies(2, secret), verifies(2, rotated.secret)]).toEqual([false, true])
}) // prettier-ignore

test('what is asked for again while it is being told is told again, whatever comes of the try under way', async () => {
  const { endpointId } = await house.addEndpoint()
  const hanging = Promise.withResolvers<ReturnType<typeof answered>>()
  house.answer = () => (house.posted.length === 1 ? hanging.promise : answered(200))
  await house.send()
  house.deliverer.nudge()
  await vi.waitFor(() => expect(house.posted).toHaveLength(1))
  const { id: eventId } = bodyOf(0)
  const deps = { ids: house.ids, nowMs: house.clock.now() }
  await house.storage.writer.write((tx) => replayEvent(tx, deps, { accountId: 'acc_a', endpointId, eventId, actor: 'test' }))
  hanging.resolve(answered(200))
  await house.deliverer.drain()
  await house.deliverer.drain()
  expect(house.posted.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId])
  expect(await deliveries()).toMatchObject([{ outcome: 'delivered', failures: 0 }])
  expect(await attempts()).toMatchObject([{ status: 200 }, { status: 200 }])
}) // prettier-ignore

test('a stop waits for what is under way and begins nothing new', async () => {
  await house.addEndpoint()
  const hanging = Promise.withResolvers<ReturnType<typeof answered>>()
  house.answer = () => hanging.promise
  await house.send()
  await house.send()
  house.deliverer.nudge()
  await vi.waitFor(() => expect(house.posted).toHaveLength(1))
  let isStopped = false
  const stopping = house.deliverer.stop().then(() => (isStopped = true))
  await house.clock.advance(1_000)
  expect({ isStopped, posted: house.posted.length }).toEqual({ isStopped: false, posted: 1 })
  hanging.resolve(answered(200))
  await stopping
  expect((await deliveries()).map(({ outcome }) => outcome)).toEqual(['delivered', null])
})

test('a message that is gone is told of no more', async () => {
  await house.addEndpoint()
  house.answer = () => answered(500)
  await house.send()
  await house.deliverer.drain()
  await house.storage.writer.write(async (tx) => {
    await tx.deleteFrom('queue').execute()
    await tx.deleteFrom('messages').execute()
  })
  await after(5_000)
  expect(house.posted).toHaveLength(1)
  expect(await deliveries()).toMatchObject([{ outcome: 'dropped' }])
})

test('that there was nothing to tell makes no endpoint one that answers', async () => {
  await house.addEndpoint()
  let [open, mostOpen] = [0, 0]
  house.answer = async () => {
    mostOpen = Math.max(mostOpen, (open += 1))
    await new Promise<void>((resolve) => setImmediate(resolve))
    open -= 1
    return { kind: 'failed', because: 'timed_out', detail: 'no answer within 15000 ms' }
  }
  for (let i = 0; i < 5; i++) await house.send()
  await house.storage.writer.write(async (tx) => {
    await tx.deleteFrom('queue').execute()
    await tx.deleteFrom('messages').execute()
  })
  await house.deliverer.drain()
  expect((await deliveries()).map(({ outcome }) => outcome)).toEqual(Array(5).fill('dropped'))
  for (let i = 0; i < 5; i++) await house.send()
  await house.deliverer.drain()
  expect([house.posted.length, mostOpen]).toEqual([5, 1])
})
