import { afterEach, beforeEach, expect, test } from 'vitest'
import { countWaiting } from '../../src/webhooks/count-waiting.ts'
import { setEndpoint } from '../../src/webhooks/endpoint-store.ts'
import { retryDelaysMs } from '../../src/webhooks/retry-schedule.ts'
import { answered, anywhere, openWebhookHouse, type WebhookHouse } from './webhook-house.ts'

let house: WebhookHouse
beforeEach(async () => {
  house = await openWebhookHouse()
})
afterEach(() => house.close())

test('410 disables an endpoint at once, and its siblings and the audit log are told', async () => {
  const { endpointId } = await house.addEndpoint({ url: 'https://gone.example.org/' })
  const sibling = await house.addEndpoint({ types: ['webhook.disabled'] })
  house.answer = ({ url }) => answered(url.includes('gone') ? 410 : 200)
  await house.send()
  await house.send()
  await house.deliverer.drain()
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'disabled', disabled_because: 'gone' })
  const told = house.posted
    .filter(({ url }) => url.includes('shop'))
    .map(({ body }) => JSON.parse(body) as object)
  expect(told).toMatchObject([
    { type: 'webhook.disabled', data: { webhook: { id: endpointId, disabled_because: 'gone' } } },
  ])
  const [entry] = await house.storage.read
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', 'webhook.disabled')
    .execute()
  expect(entry).toMatchObject({ account_id: 'acc_a', actor: 'webhooks' })
  expect((await house.endpoint(sibling.endpointId)).state).toBe('enabled')
  const before = house.posted.length
  await house.after(86_400_000)
  expect(house.posted.filter(({ url }) => url.includes('gone')).length).toBeLessThanOrEqual(2)
  expect(house.posted.length).toBe(before)
})

test('five days of failures disable an endpoint; a success in between begins them anew', async () => {
  const { endpointId } = await house.addEndpoint()
  house.answer = () => ({ kind: 'failed', because: 'not_connected', detail: 'ECONNREFUSED' })
  const day = 86_400_000
  await house.send()
  await house.deliverer.drain()
  const since = house.clock.now()
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'enabled', failing_since: since })
  // Each try that the schedule has, until the delivery is given up.
  for (const delayMs of retryDelaysMs) await house.after(delayMs)
  expect(house.posted).toHaveLength(1 + retryDelaysMs.length)
  expect(house.clock.now()).toBeLessThan(since + 4 * day)
  await house.after(since + 4 * day - house.clock.now())
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'enabled', failing_since: since })
  house.answer = () => answered(204)
  await house.send()
  await house.deliverer.drain()
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'enabled', failing_since: null })
  house.answer = () => answered(503)
  await house.send()
  await house.deliverer.drain()
  await house.send()
  await house.after(5 * day - 1)
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'enabled' })
  await house.send()
  // The next trial goes within a minute.
  await house.after(60_000)
  expect(await house.endpoint(endpointId)).toMatchObject({ state: 'disabled', disabled_because: 'failing' })
})

test('what nobody tries does not count as waiting: of disabled endpoints and of closed accounts', async () => {
  const { storage } = house
  const counted = (most = 10_000) => countWaiting(storage.read, most)
  expect(await counted()).toBe(0)
  house.answer = () => answered(500)
  const ends: string[] = []
  for (const accountId of ['acc_a', 'acc_a', 'acc_b'])
    ends.push((await house.addEndpoint({ accountId })).endpointId)
  for (const accountId of ['acc_a', 'acc_a', 'acc_b']) await house.send({ accountId })
  await house.deliverer.drain()
  const open = async (endpointId?: string) =>
    (await house.deliveries()).filter(
      (row) => row.closed_at === null && row.endpoint_id === (endpointId ?? row.endpoint_id),
    ).length
  const [first, , last] = (await Promise.all(ends.map(open))) as [number, number, number]
  expect(Math.min(first, last)).toBeGreaterThan(0)
  expect(await counted()).toBe(2 * first + last)
  expect(await counted(first + 1)).toBe(first + 1)
  await storage.writer.write((tx) =>
    tx
      .updateTable('webhook_endpoints')
      .set({ state: 'disabled', disabled_because: 'gone' })
      .where('id', '=', ends[0]!)
      .execute(),
  )
  expect(await counted()).toBe(first + last)
  await storage.writer.write((tx) =>
    tx.updateTable('accounts').set({ state: 'closed' }).where('id', '=', 'acc_b').execute(),
  )
  expect(await counted()).toBe(first)
  expect(await open()).toBe(2 * first + last)
})

test('what waited for a disabled endpoint is told when it is enabled, and what happened meanwhile is not', async () => {
  const { endpointId } = await house.addEndpoint()
  house.answer = () => answered(500)
  await house.send()
  await house.deliverer.drain()
  const set = (state: 'enabled' | 'disabled') =>
    house.storage.writer.write((tx) =>
      setEndpoint(
        tx,
        { ids: house.ids, nowMs: house.clock.now(), guard: anywhere },
        { accountId: 'acc_a', endpointId, state, actor: 'test' },
      ),
    )
  await set('disabled')
  await house.send()
  await house.after(3_600_000)
  expect(house.posted).toHaveLength(1)
  house.answer = () => answered(200)
  await set('enabled')
  await house.after(500)
  expect(house.posted.map(({ headers }) => headers['webhook-id'])).toEqual([
    house.bodyOf(0).id,
    house.bodyOf(0).id,
  ])
})
