import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWebhookSecretBox } from '../../src/runtime/secret-box.ts'
import { replayEvent } from '../../src/webhooks/replay.ts'
import { endFormerSecrets, rotateSecret } from '../../src/webhooks/rotate-secret.ts'
import { answered, openWebhookHouse, type WebhookHouse } from './webhook-house.ts'

let house: WebhookHouse
beforeEach(async () => {
  house = await openWebhookHouse()
})
afterEach(() => house.close())

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
      message: {
        object: 'message',
        status: 'queued',
        client_reference: 'order 7',
        text: 'Hello',
        final: false,
      },
    },
  })
  await house.after(60_000)
  expect(house.posted).toHaveLength(1)
  expect(await house.deliveries()).toMatchObject([{ outcome: 'delivered', failures: 0, token: 1 }])
  expect(await house.attempts()).toMatchObject([
    { endpoint_id: endpointId, status: 200, failure: null, answer: 'noted' },
  ])
})

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
  expect(house.bodyOf(1).id).toBe(house.bodyOf(0).id)
  expect(await house.deliveries()).toMatchObject([{ outcome: 'delivered', token: 2 }])
  hanging.resolve(answered(500))
  await house.deliverer.drain()
  expect(await house.deliveries()).toMatchObject([{ outcome: 'delivered', token: 2, failures: 0 }])
  expect((await house.attempts()).map(({ token, status }) => [token, status])).toEqual([
    [1, 500],
    [2, 200],
  ])
})

let rotations = 8
const rotate = (endpointId: string) =>
  house.storage.writer.write((tx) =>
    rotateSecret(
      tx,
      {
        ids: house.ids,
        nowMs: house.clock.now(),
        secretBox: house.secretBox,
        randomBytes: (count) => new Uint8Array(count).fill(++rotations),
      },
      { accountId: 'acc_a', endpointId, actor: 'test', previousUntil: house.clock.now() + 3_600_000 },
    ),
  )

const verifies = (index: number, key: string): boolean => {
  const { atMs, body, headers } = house.posted[index]!
  vi.setSystemTime(atMs)
  try {
    new Webhook(key).verify(body, { ...headers })
    return true
  } catch {
    return false
  } finally {
    vi.useRealTimers()
  }
}

test('while a secret is rotated both sign, and afterwards the new one alone', async () => {
  const { endpointId, secret } = await house.addEndpoint()
  const rotated = await rotate(endpointId)
  await house.send()
  await house.after(0)
  await house.send()
  await house.after(3_600_000)
  await house.send()
  await house.after(0)
  expect([verifies(0, secret), verifies(0, rotated.secret)]).toEqual([true, true])
  expect([verifies(2, secret), verifies(2, rotated.secret)]).toEqual([false, true])
})

test('a second rotation within that time leaves each former secret its own end', async () => {
  const { endpointId, secret } = await house.addEndpoint()
  const second = await rotate(endpointId)
  await house.after(1_800_000)
  const third = await rotate(endpointId)
  const signed = async () => {
    await house.send()
    await house.after(0)
    const last = house.posted.length - 1
    return [secret, second.secret, third.secret].map((each) => verifies(last, each))
  }
  expect(await signed()).toEqual([true, true, true])
  await house.after(1_800_000)
  expect(await signed()).toEqual([false, true, true])
  await house.after(1_800_000)
  expect(await signed()).toEqual([false, false, true])
})

test('former secrets end at once when somebody says so, and that is written down', async () => {
  const { endpointId, secret } = await house.addEndpoint()
  const second = await rotate(endpointId)
  const third = await rotate(endpointId)
  const end = () =>
    house.storage.writer.write((tx) =>
      endFormerSecrets(
        tx,
        { ids: house.ids, nowMs: house.clock.now() },
        { accountId: 'acc_a', endpointId, actor: 'test' },
      ),
    )
  expect(await end()).toEqual({ ended: 2 })
  await house.send()
  await house.after(0)
  expect([secret, second.secret, third.secret].map((each) => verifies(0, each))).toEqual([false, false, true])
  expect(await end(), 'said twice').toEqual({ ended: 0 })
  const audited = await house.storage.read.selectFrom('audit_log').select(['action', 'detail']).execute()
  const ends = audited.filter(({ action }) => action === 'webhook.former_secrets_ended')
  expect(ends.map(({ detail }) => JSON.parse(detail))).toEqual([{ endpointId, ended: 2 }])
})

test('five former secrets sign at most; a sixth rotation waits until the first of them ends', async () => {
  const { endpointId } = await house.addEndpoint()
  for (let i = 0; i < 5; i++) await rotate(endpointId)
  await expect(rotate(endpointId)).rejects.toMatchObject({ code: 'validation_failed' })
  await house.send()
  await house.after(0)
  expect(house.posted[0]!.headers['webhook-signature']?.split(' ')).toHaveLength(6)
  await house.after(3_600_000)
  await expect(rotate(endpointId)).resolves.toBeDefined()
})

test.for(['before it is rotated', 'while it is rotated'])(
  'where what sealed the former secret is given up %s, the new one signs alone and at once',
  async (given) => {
    const { endpointId } = await house.addEndpoint()
    const lost = createWebhookSecretBox({ current: 'a secret of the instance that is lost', former: [] })
    const sealed = lost.seal('whsec_AAAA', endpointId)
    const { writer } = house.storage
    if (given.startsWith('before'))
      await writer.write((tx) => tx.updateTable('webhook_endpoints').set({ secret: sealed }).execute())
    const rotated = await rotate(endpointId)
    if (given.startsWith('while'))
      await writer.write((tx) =>
        tx.updateTable('webhook_endpoints').set({ previous_secret: sealed }).execute(),
      )
    await house.send()
    await house.after(0)
    expect(verifies(0, rotated.secret)).toBe(true)
    expect(house.posted[0]!.headers['webhook-signature']).not.toContain(' ')
    expect(await house.deliveries()).toMatchObject([{ outcome: 'delivered' }])
  },
)

test('what is asked for again while it is being told is told again, whatever comes of the try under way', async () => {
  const { endpointId } = await house.addEndpoint()
  const hanging = Promise.withResolvers<ReturnType<typeof answered>>()
  house.answer = () => (house.posted.length === 1 ? hanging.promise : answered(200))
  await house.send()
  house.deliverer.nudge()
  await vi.waitFor(() => expect(house.posted).toHaveLength(1))
  const { id: eventId } = house.bodyOf(0)
  const deps = { ids: house.ids, nowMs: house.clock.now() }
  await house.storage.writer.write((tx) =>
    replayEvent(tx, deps, { accountId: 'acc_a', endpointId, eventId, actor: 'test' }),
  )
  hanging.resolve(answered(200))
  await house.deliverer.drain()
  await house.deliverer.drain()
  expect(house.posted.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId])
  expect(await house.deliveries()).toMatchObject([{ outcome: 'delivered', failures: 0 }])
  expect(await house.attempts()).toMatchObject([{ status: 200 }, { status: 200 }])
})

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
  expect((await house.deliveries()).map(({ outcome }) => outcome)).toEqual(['delivered', null])
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
  await house.after(5_000)
  expect(house.posted).toHaveLength(1)
  expect(await house.deliveries()).toMatchObject([{ outcome: 'dropped' }])
})

test('that there was nothing to tell makes no endpoint one that answers', async () => {
  await house.addEndpoint()
  let [open, maxOpen] = [0, 0]
  house.answer = async () => {
    maxOpen = Math.max(maxOpen, (open += 1))
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
  expect((await house.deliveries()).map(({ outcome }) => outcome)).toEqual(Array(5).fill('dropped'))
  for (let i = 0; i < 5; i++) await house.send()
  await house.deliverer.drain()
  expect([house.posted.length, maxOpen]).toEqual([5, 1])
})
