import { afterEach, beforeEach, expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import { recordOutcomes } from '../../src/webhooks/delivery-outcomes.ts'
import { setEndpoint } from '../../src/webhooks/endpoint-store.ts'
import type { PostResult } from '../../src/webhooks/post.ts'
import { answered, anywhere, openWebhookHouse, type WebhookHouse } from './webhook-house.ts'

let house: WebhookHouse
let endpointId: string
beforeEach(async () => {
  house = await openWebhookHouse()
  ;({ endpointId } = await house.addEndpoint({ url: 'https://shop.example.org/hook/s3cret?key=abc' }))
})
afterEach(() => house.close())

const moveTo = (url: string) =>
  house.storage.writer.write((tx) =>
    setEndpoint(
      tx,
      { ids: house.ids, nowMs: house.clock.now(), guard: anywhere },
      { accountId: 'acc_a', endpointId, url, actor: 'test' },
    ),
  )
const fail = async (): Promise<void> => {
  house.answer = () => answered(500)
  await house.send()
  await house.deliverer.drain()
}

const sendOne = async (): Promise<{ event_id: string; token: number }> => {
  await house.send()
  return house.storage.read
    .selectFrom('webhook_deliveries')
    .select(['event_id', 'token'])
    .orderBy('event_id', 'desc')
    .executeTakeFirstOrThrow()
}
interface Sent {
  event_id: string
  token: number
}
const recordAll = (tries: readonly [Sent, PostResult][], nowMs = house.clock.now()) => {
  const deps = { ids: house.ids, nowMs, random: () => 0.5, disableAfterMs: 5 * dayMs }
  const url = 'https://shop.example.org/hook/s3cret?key=abc'
  const tried = tries.map(([{ event_id: eventId, token }, result]) => ({ accountId: 'acc_a', endpointId, eventId, url, token, failures: 0, trialUntil: null, result, atMs: house.clock.now(), durationMs: 1 })) // prettier-ignore
  return house.storage.writer.write((tx) => recordOutcomes(tx, deps, tried))
}
const record = (sent: Sent, result: PostResult, nowMs?: number) => recordAll([[sent, result]], nowMs)

test('what failed at an address that an endpoint has left does not count against the new one', async () => {
  await fail()
  const since = house.clock.now()
  house.clock.jumpWallClock(6 * dayMs)
  await moveTo('https://shop.example.org/hook/s3cret?key=abc')
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'enabled', failing_since: since })
  await moveTo('https://shop.example.org/new')
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'enabled', failing_since: null })
  await fail()
  expect(await house.endpoint(endpointId)).toMatchObject({
    state: 'enabled',
    failing_since: house.clock.now(),
  })
})

test('an endpoint fails for as long as the time says by which it is judged, wherever the wall clock of a server is', async () => {
  const nowMs = house.clock.now() + 10 * dayMs
  expect(await record(await sendOne(), answered(500), nowMs)).toEqual(['failed'])
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'enabled', failing_since: nowMs })
})

test('a word under an old token says nothing of the endpoint, neither for it nor against it', async () => {
  const delivery = await sendOne()
  const old = { ...delivery, token: delivery.token - 1 }
  for (const result of [answered(500), answered(410)]) {
    expect(await record(old, result)).toEqual(['stale'])
    expect(await house.endpoint(endpointId)).toMatchObject({ state: 'enabled', failing_since: null })
  }
  await record(delivery, answered(500))
  expect(await record(old, answered(200))).toEqual(['stale'])
  expect(await house.endpoint(endpointId)).toMatchObject({
    state: 'enabled',
    failing_since: house.clock.now(),
  })
})

test('a receiver that asks for time is given it, though it took what came beside', async () => {
  const sent: Sent[] = []
  for (let i = 0; i < 4; i++) {
    sent.push(await sendOne())
    house.clock.jumpWallClock(1)
  }
  const [first, second, third, fourth] = sent as [Sent, Sent, Sent, Sent]
  const nowMs = house.clock.now()
  const resumesAt = nowMs + 600_000
  await recordAll([[first, answered(200)], [second, answered(429, '600')]], nowMs) // prettier-ignore
  expect(await house.endpoint(endpointId)).toMatchObject({ failing_since: null, resumes_at: resumesAt })
  await record(third, answered(200))
  expect(await house.endpoint(endpointId)).toMatchObject({ failing_since: null, resumes_at: resumesAt })
  await record(fourth, answered(200), resumesAt)
  expect(await house.endpoint(endpointId)).toMatchObject({ failing_since: null, resumes_at: null })
})

test('what the address before answers after a move says nothing of the new one', async () => {
  const late = Promise.withResolvers<PostResult>()
  house.answer = () => late.promise
  await house.send()
  const delivering = house.deliverer.drain()
  await expect.poll(() => house.posted.length).toBe(1)
  await moveTo('https://new.example.org/')
  late.resolve(answered(410))
  await delivering
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'enabled', failing_since: null })
})

test('the audit log names where an endpoint is, and not what its address holds to let somebody in', async () => {
  await moveTo('https://shop.example.org:8443/hook/t0ken')
  const rows = await house.storage.read
    .selectFrom('audit_log')
    .select(['action', 'detail'])
    .where('action', 'like', 'webhook.%')
    .orderBy('id')
    .execute()
  expect(rows.map(({ action, detail }) => [action, (JSON.parse(detail) as { url: string }).url])).toEqual([
    ['webhook.added', 'https://shop.example.org'],
    ['webhook.changed', 'https://shop.example.org:8443'],
  ])
  expect(JSON.stringify(rows)).not.toMatch(/s3cret|abc|t0ken/)
})
