import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AnswerOf } from '../../src/api/console/calls.ts'
import { eventually } from '../eventually.ts'
import { openReceiver, type Receiver, verified } from '../webhooks/receiver.ts'
import { startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
let receiver: Receiver
beforeAll(async () => {
  receiver = await openReceiver()
  house = await startConsole({ ONESIXTY_WEBHOOK_ALLOW: '127.0.0.1' })
})
afterAll(async () => {
  await house.stop()
  await receiver.close()
})

const add = async (more = {}) =>
  (await house.ada.change('webhooks/add', { url: receiver.url, types: [], mode: null, ...more }))
    .body as AnswerOf<'webhooks/add'>
const log = async (endpointId: string, before?: string) =>
  (await house.ada.read('webhooks/deliveries', { endpointId, ...(before !== undefined && { before }) }))
    .body as AnswerOf<'webhooks/deliveries'>
const tested = async (endpointId: string): Promise<string> =>
  ((await house.ada.change('webhooks/test', { endpointId })).body as AnswerOf<'webhooks/test'>).eventId

test('an endpoint is added, shown without its secret, changed and removed', async () => {
  const { endpointId, secret } = await add({ types: ['message.failed'] })
  expect(secret).toMatch(/^whsec_/)
  const list = async () => (await house.ada.read('webhooks/list')).body as AnswerOf<'webhooks/list'>
  expect(JSON.stringify(await list())).not.toContain('whsec_')
  expect(await list()).toMatchObject({
    endpoints: [{ id: endpointId, types: ['message.failed'], mode: null, state: 'enabled' }],
    rotationHours: 24,
    logDays: 30,
  })
  await house.ada.change('webhooks/change', { endpointId, types: [], mode: 'live', state: 'disabled' })
  expect((await list()).endpoints).toMatchObject([
    { types: [], mode: 'live', state: 'disabled', disabledBecause: 'person' },
  ])
  expect((await house.ada.change('webhooks/test', { endpointId })).body).toMatchObject({
    code: 'validation_failed',
  })
  await house.ada.change('webhooks/remove', { endpointId })
  expect((await list()).endpoints).toEqual([])
  expect((await house.ada.change('webhooks/remove', { endpointId })).status).toBe(404)
})

test('the test button posts a signed event, and its log shows what was posted and what was answered', async () => {
  const { endpointId, secret } = await add()
  receiver.received.length = 0
  receiver.handle = (_, response) => void response.writeHead(201).end('thank you')
  const eventId = await tested(endpointId)
  const { deliveries } = await eventually(() => log(endpointId), (seen) => expect(seen.deliveries[0]?.state).toBe('delivered'))
  expect(deliveries).toMatchObject([
    { eventId, endpointId, type: 'webhook.test', messageId: null, failures: 0, dueAt: null, lastTry: { status: 201, answer: 'thank you' } },
  ])
  expect(verified(secret, receiver.received[0]!)).toMatchObject({ id: eventId, type: 'webhook.test', data: { webhook: { id: endpointId } } })
  const { body } = await house.ada.read('webhooks/delivery', { endpointId, eventId })
  expect(body).toMatchObject({ body: receiver.received[0]!.body, tries: [{ status: 201, failure: null }] })
  const rotated = (await house.ada.change('webhooks/rotate', { endpointId })).body as AnswerOf<'webhooks/rotate'>
  await tested(endpointId)
  const second = await eventually(() => receiver.received[1], (one) => expect(one).toBeDefined())
  expect(verified(secret, second!).type).toBe('webhook.test')
  expect(verified(rotated.secret, second!).type).toBe('webhook.test')
  expect((await house.ada.change('webhooks/end-former-secrets', { endpointId })).body).toEqual({ ended: 1 })
  const { endpoints } = (await house.ada.read('webhooks/list')).body as AnswerOf<'webhooks/list'>
  expect(endpoints.find(({ id }) => id === endpointId)).toMatchObject({ previousSecretUntil: null })
}) // prettier-ignore

test('one event is told again, and so is a range, under the same ids', async () => {
  receiver.handle = (_, response) => void response.end()
  const { endpointId } = await add()
  receiver.received.length = 0
  const fromMs = Date.now()
  const eventIds: string[] = []
  for (let i = 0; i < 3; i++) {
    eventIds.push(await tested(endpointId))
    await eventually(() => receiver.received.length, (count) => expect(count).toBe(i + 1))
  }
  await eventually(() => log(endpointId), (seen) => expect(seen.deliveries.every(({ state }) => state === 'delivered')).toBe(true))
  await house.ada.change('webhooks/replay', { endpointId, eventId: eventIds[1] })
  await eventually(() => receiver.received.length, (count) => expect(count).toBe(4))
  expect(receiver.received[3]!.headers['webhook-id']).toBe(eventIds[1])
  await eventually(() => log(endpointId), (seen) => expect(seen.deliveries.every(({ state }) => state === 'delivered')).toBe(true))
  const range = { endpointId, fromMs, untilMs: Date.now() + 1 }
  expect((await house.ada.change('webhooks/replay-range', { ...range, onlyFailed: true })).body).toEqual({ replayed: 0, restFromMs: null })
  expect((await house.ada.change('webhooks/replay-range', { ...range, onlyFailed: false })).body).toEqual({ replayed: 3, restFromMs: null })
  await eventually(() => receiver.received.length, (count) => expect(count).toBe(7))
  expect(new Set(receiver.received.slice(4).map(({ headers }) => headers['webhook-id']))).toEqual(new Set(eventIds))
  expect((await house.ada.change('webhooks/replay-range', { ...range, untilMs: fromMs, onlyFailed: false })).body).toMatchObject({ code: 'validation_failed' })
  const absent = { endpointId, eventId: 'evt_01k9ktqv1gfx8r4z6m2d7cwn5e' }
  expect((await house.ada.change('webhooks/replay', absent)).status).toBe(404)
}) // prettier-ignore

test('the log comes in pages without gaps, newest first, and a message shows its own part of it', async () => {
  const { endpointId } = await add({ types: ['message.queued', 'message.delivered'] })
  const { testKey } = house.ada
  const to = Array.from({ length: 60 }, (_, i) => `+15005550${100 + i}`)
  const { body } = await house.client.send(testKey, { to, text: 'Hello' })
  const first = await eventually(
    () => log(endpointId),
    (seen) => expect(seen.deliveries).toHaveLength(50),
  )
  expect(first.nextBeforeId).toBe(first.deliveries.at(-1)!.eventId)
  const messageId = body.messages[0]!.id
  const about = async () =>
    (await house.ada.read('webhooks/of-message', { messageId })).body as AnswerOf<'webhooks/of-message'>
  const { deliveries } = await eventually(
    about,
    (seen) => expect(seen.deliveries.filter((one) => one.endpointId === endpointId)).toHaveLength(2),
    15_000,
  )
  expect(deliveries.filter((one) => one.endpointId === endpointId).map(({ type }) => type)).toEqual([
    'message.queued',
    'message.delivered',
  ])
  const seen: string[] = []
  for (let before: string | null | undefined; before !== null;) {
    const page = await log(endpointId, before)
    seen.push(...page.deliveries.map(({ eventId }) => eventId))
    before = page.nextBeforeId
  }
  expect(seen).toEqual([...new Set(seen)].toSorted().toReversed())
  expect(seen.length).toBeGreaterThanOrEqual(60)
})

test("another account's endpoints can be neither seen nor touched", async () => {
  const { endpointId } = await add()
  const eventId = await tested(endpointId)
  const { bob } = house
  expect((await bob.read('webhooks/list')).body).toMatchObject({ endpoints: [] })
  expect((await bob.read('webhooks/deliveries', { endpointId })).body).toMatchObject({ deliveries: [] })
  expect((await bob.read('webhooks/delivery', { endpointId, eventId })).status).toBe(404)
  for (const name of ['change', 'rotate', 'remove', 'test'])
    expect((await bob.change(`webhooks/${name}`, { endpointId })).status).toBe(404)
  expect((await bob.change('webhooks/replay', { endpointId, eventId })).status).toBe(404)
  const range = { endpointId, fromMs: 0, untilMs: Date.now(), onlyFailed: false }
  expect((await bob.change('webhooks/replay-range', range)).status).toBe(404)
})
