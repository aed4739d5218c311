import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { claimDeliveries, readDueEndpoints } from '../../src/webhooks/claim-deliveries.ts'
import { replayEvent, sendTestEvent } from '../../src/webhooks/replay.ts'
import { setEndpoint } from '../../src/webhooks/endpoint-store.ts'
import type { PostResult } from '../../src/webhooks/post.ts'
import { answered, anywhere, openWebhookHouse, type WebhookHouse } from './webhook-house.ts'

let house: WebhookHouse
beforeEach(async () => {
  house = await openWebhookHouse()
})
afterEach(() => house.close())

const closedPort: PostResult = { kind: 'failed', because: 'not_connected', detail: 'ECONNREFUSED' }
const minuteMs = 60_000

const sendMany = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await house.send()
}
const outcomes = async () => (await house.deliveries()).map(({ outcome }) => outcome)
const change = (endpointId: string, to: { url?: string; state?: 'enabled' | 'disabled' }) =>
  house.storage.writer.write((tx) =>
    setEndpoint(
      tx,
      { ids: house.ids, nowMs: house.clock.now(), guard: anywhere },
      { accountId: 'acc_a', endpointId, actor: 'test', ...to },
    ),
  )

test('a closed port with a backlog is tried a few dozen times in six minutes, and all of it is told when it opens', async () => {
  const { endpointId } = await house.addEndpoint()
  const since = house.clock.now()
  house.answer = () => {
    house.clock.jumpWallClock(1)
    return closedPort
  }
  await sendMany(60)
  await house.deliverer.drain()
  while (house.clock.now() < since + 6 * minuteMs) await house.after(2_000)
  expect(house.posted.length).toBeGreaterThan(10)
  expect(house.posted.length).toBeLessThan(45)
  const gaps = house.posted.map(({ atMs }, i) => atMs - (house.posted[i - 1]?.atMs ?? atMs))
  expect(Math.max(...gaps)).toBeLessThanOrEqual(minuteMs + 2_000)
  expect(gaps.at(-1)).toBeGreaterThan(minuteMs - 2_000)
  expect(await house.endpoint(endpointId)).toMatchObject({
    state: 'enabled',
    failing_because: 'not_connected: ECONNREFUSED',
  })

  house.posted.length = 0
  house.answer = () => answered(200)
  await house.after(minuteMs)
  await house.after(30 * minuteMs)
  expect(await outcomes()).toEqual(Array(60).fill('delivered'))
  expect(new Set(house.posted.map(({ headers }) => headers['webhook-id'])).size).toBe(60)
  expect(house.posted).toHaveLength(60)
  expect(await house.endpoint(endpointId)).toMatchObject({
    failing_since: null,
    failing_because: null,
    resumes_at: null,
  })
})

test('one event that is refused holds up no other', async () => {
  await house.addEndpoint()
  await sendMany(8)
  const refused = (await house.deliveries())[0]?.event_id
  house.answer = ({ headers }) => answered(headers['webhook-id'] === refused ? 400 : 200)
  await house.deliverer.drain()
  expect(await outcomes()).toEqual([null, ...Array(7).fill('delivered')])
})

test('while the trial of an endpoint that fails is under way no server begins another, until its lease ends', async () => {
  await house.addEndpoint()
  const other = house.anotherDeliverer()
  await other.start()
  house.answer = () => answered(500)
  await house.send()
  await house.deliverer.drain()
  const hanging = Promise.withResolvers<PostResult>()
  house.answer = () => (house.posted.length === 2 ? hanging.promise : answered(200))
  await sendMany(4)
  house.deliverer.nudge()
  await vi.waitFor(() => expect(house.posted).toHaveLength(2))
  await other.drain()
  house.clock.jumpWallClock(24_999)
  await other.drain()
  expect(house.posted).toHaveLength(2)
  house.clock.jumpWallClock(1)
  await other.drain()
  expect(house.posted.length).toBeGreaterThan(2)
  hanging.resolve(answered(200))
  await house.deliverer.drain()
  await house.after(5_000)
  expect(await outcomes()).toEqual(Array(5).fill('delivered'))
})

test('of what waits for an endpoint that fails one is taken, and none in its pause, however much a server has room for', async () => {
  const { endpointId } = await house.addEndpoint()
  house.answer = () => answered(500)
  await house.send()
  await house.deliverer.drain()
  await house.deliverer.stop()
  await sendMany(4)
  const wants = [{ accountId: 'acc_a', endpointId, most: 16 }]
  const claim = (nowMs: number) =>
    house.storage.writer.write((tx) => claimDeliveries(tx, { wants, nowMs, leaseMs: 25_000 }))
  const nowMs = house.clock.now()
  expect(await readDueEndpoints(house.storage.read, nowMs)).toHaveLength(1)
  expect(await claim(nowMs)).toHaveLength(1)
  expect(await readDueEndpoints(house.storage.read, nowMs)).toEqual([])
  expect(await claim(nowMs + 24_999)).toHaveLength(0)
  expect(await claim(nowMs + 25_000)).toHaveLength(1)
})

test('a trial that had nothing to tell lets the next one go', async () => {
  await house.addEndpoint()
  house.answer = () => answered(500)
  await house.send()
  await house.deliverer.drain()
  await sendMany(3)
  await house.storage.writer.write(async (tx) => {
    await tx.deleteFrom('queue').execute()
    await tx.deleteFrom('messages').execute()
  })
  await house.after(5_000)
  expect(await outcomes()).toEqual(Array(4).fill('dropped'))
})

test.for([429, 503])(
  'a receiver that asks for time with %s is given it for all that waits',
  async (status) => {
    await house.addEndpoint()
    house.answer = () => answered(house.posted.length === 1 ? status : 200, '120')
    await sendMany(3)
    await house.deliverer.drain()
    await house.after(119_999)
    expect(house.posted).toHaveLength(1)
    await house.after(1)
    expect(await outcomes()).toEqual(Array(3).fill('delivered'))
  },
)

/** So many tries under way at once, each of which a test answers when it likes, in the order in which they were posted. */
async function begin(count: number): Promise<((answer: PostResult) => void)[]> {
  house.answer = () => answered(200)
  await sendMany(4)
  await house.deliverer.drain()
  house.posted.length = 0
  const answers = [...Array(count + 4)].map(() => Promise.withResolvers<PostResult>())
  house.answer = () => answers[house.posted.length - 1]!.promise
  await sendMany(count)
  house.deliverer.nudge()
  await vi.waitFor(() => expect(house.posted).toHaveLength(count))
  return answers.map(({ resolve }) => resolve)
}
const heard = (count: number) =>
  vi.waitFor(async () => expect((await house.attempts()).length).toBe(4 + count))

test.for([answered(200), answered(500), closedPort])(
  'what a receiver asks for stands, whatever comes of tries that were begun before: %j',
  async (later) => {
    const { endpointId } = await house.addEndpoint()
    const [first, second] = await begin(2)
    first!(answered(503, '120'))
    await heard(1)
    const { resumes_at: asked } = await house.endpoint(endpointId)
    house.clock.jumpWallClock(5_000)
    second!(later)
    await heard(2)
    await sendMany(1)
    await house.after(100_000)
    expect(await house.endpoint(endpointId)).toMatchObject({ resumes_at: asked })
    expect(house.posted).toHaveLength(2)
    house.answer = () => answered(200)
    await house.after(15_000)
    expect(house.posted.length).toBeGreaterThan(2)
  },
)

test('a success of the trial does not end what was asked for while it was under way', async () => {
  const { endpointId } = await house.addEndpoint()
  const other = house.anotherDeliverer()
  await other.start()
  const [first, second, trial] = await begin(2)
  first!(answered(500))
  await heard(1)
  await sendMany(1)
  house.clock.jumpWallClock(1_000)
  other.nudge()
  await vi.waitFor(() => expect(house.posted).toHaveLength(3))
  second!(answered(429, '10'))
  await heard(2)
  trial!(answered(200))
  await heard(3)
  const { failing_since, resumes_at } = await house.endpoint(endpointId)
  expect(failing_since).toBeNull()
  expect(resumes_at).toBeGreaterThanOrEqual(house.clock.now() + 10_000)
})

test('what another status asks for is about its event alone', async () => {
  await house.addEndpoint()
  await sendMany(3)
  const busy = (await house.deliveries())[0]?.event_id
  house.answer = ({ headers }) => answered(headers['webhook-id'] === busy ? 409 : 200, '3600')
  await house.deliverer.drain()
  expect(await outcomes()).toEqual([null, 'delivered', 'delivered'])
})

/** Fails for so long that the next trial is a minute away. */
async function pauseLong(): Promise<string> {
  const { endpointId } = await house.addEndpoint()
  house.answer = () => answered(500)
  await house.send()
  await house.deliverer.drain()
  await house.after(10 * minuteMs)
  await sendMany(3)
  await house.after(1_000)
  expect(house.posted).toHaveLength(2)
  expect((await house.endpoint(endpointId)).resumes_at).toBeGreaterThan(house.clock.now() + 50_000)
  house.posted.length = 0
  return endpointId
}

test('a test event goes before all that waits, whatever the pause, and a success ends it', async () => {
  const endpointId = await pauseLong()
  house.answer = () => answered(200)
  const eventId = await house.storage.writer.write((tx) =>
    sendTestEvent(tx, { nowMs: house.clock.now() }, { accountId: 'acc_a', endpointId }),
  )
  await house.after(0)
  expect(house.posted[0]?.headers['webhook-id']).toBe(eventId)
  expect(house.posted.length).toBeGreaterThan(3)
})

test.for([answered(500), answered(503, '3600')])(
  'what comes of a trial that was under way when somebody asked does not pause the endpoint again: %j',
  async (came) => {
    const endpointId = await pauseLong()
    const hanging = Promise.withResolvers<PostResult>()
    house.answer = () => (house.posted.length === 1 ? hanging.promise : answered(200))
    house.clock.jumpWallClock(minuteMs)
    house.deliverer.nudge()
    await vi.waitFor(() => expect(house.posted).toHaveLength(1))
    house.clock.jumpWallClock(1)
    const eventId = await house.storage.writer.write((tx) =>
      sendTestEvent(tx, { nowMs: house.clock.now() }, { accountId: 'acc_a', endpointId }),
    )
    hanging.resolve(came)
    await vi.waitFor(() => expect(house.posted.length).toBeGreaterThan(1))
    await house.deliverer.drain()
    expect(house.posted[1]?.headers['webhook-id']).toBe(eventId)
  },
)

test.for(['another address', 'enabling it again', 'asking for one event again'])(
  'the pause of an endpoint ends by %s',
  async (by) => {
    const endpointId = await pauseLong()
    house.answer = () => answered(200)
    const [first] = await house.deliveries()
    if (by === 'another address') await change(endpointId, { url: 'https://new.example.org/' })
    else if (by === 'enabling it again') await change(endpointId, { state: 'enabled' })
    else
      await house.storage.writer.write((tx) =>
        replayEvent(
          tx,
          { ids: house.ids, nowMs: house.clock.now() },
          { accountId: 'acc_a', endpointId, eventId: first!.event_id, actor: 'test' },
        ),
      )
    await house.after(0)
    expect(house.posted.length).toBeGreaterThanOrEqual(3)
  },
)

test('a pause that a clock that was ahead has written ends at the next start', async () => {
  const endpointId = await pauseLong()
  await house.storage.writer.write((tx) =>
    tx.updateTable('webhook_endpoints').set({ resumes_at: Number.MAX_SAFE_INTEGER }).execute(),
  )
  await house.anotherDeliverer().start()
  expect(await house.endpoint(endpointId)).toMatchObject({ resumes_at: null })
})
