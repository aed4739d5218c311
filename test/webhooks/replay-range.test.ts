import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventIdOf } from '../../src/messages/core/events.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { replayRange } from '../../src/webhooks/replay.ts'
import { openWebhookHouse, type WebhookHouse } from './webhook-house.ts'

let house: WebhookHouse
beforeEach(async () => {
  house = await openWebhookHouse()
})
afterEach(() => house.close())

test('of more than 10,000 events the oldest are told again, and from when on the rest is to be', async () => {
  const { endpointId } = await house.addEndpoint()
  const { read, writer } = house.storage
  const fromMs = house.clock.now()
  const told = Array.from({ length: 10_600 }, (_, i) => ({
    account_id: 'acc_a',
    endpoint_id: endpointId,
    event_id: eventIdOf(fromMs + i, 'message.queued', i),
    due_at: 0,
    outcome: 'delivered' as const,
    closed_at: fromMs,
  }))
  await writer.write((tx) => insertRows(tx, 'webhook_deliveries', told))
  const deps = { read, writer, ids: house.ids, nowMs: fromMs }
  const range = { accountId: 'acc_a', endpointId, actor: 'test', untilMs: fromMs + 20_000, onlyFailed: false }
  const first = await replayRange(deps, { ...range, fromMs })
  expect(first).toEqual({ replayed: 10_000, restFromMs: fromMs + 9_999 })
  const rest = await replayRange(deps, { ...range, fromMs: first.restFromMs as number })
  expect(rest).toEqual({ replayed: 601, restFromMs: null })
  const open = await read
    .selectFrom('webhook_deliveries')
    .select('event_id')
    .where('closed_at', 'is', null)
    .execute()
  expect(open).toHaveLength(10_600)
})
