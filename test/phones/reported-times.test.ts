import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderMessage } from '../../src/api/v1/message-view.ts'
import { dayMs, hourMs, minuteMs, rfc3339 } from '../../src/runtime/clock.ts'
import { timesWithin } from '../../src/dispatch/phones/phone-report.ts'
import { readMessageDetails } from '../../src/messages/history/message-details.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { eventBody } from '../../src/webhooks/event-body.ts'
import { walkHistory } from '../history/stored-messages.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { type DeskHouse, openDeskHouse } from './gateway-fixture.ts'

const owner = { accountId: 'acc_a', mode: 'live' } as const
const rowOf = (house: DeskHouse) =>
  house.storage.read.selectFrom('messages').selectAll().executeTakeFirstOrThrow()
const shown = async (house: DeskHouse) => {
  const { status, sent_at, delivered_at, updated_at } = renderMessage(await rowOf(house))
  return { status, sent_at, delivered_at, updated_at }
}

/** A message that a phone was given, and six hours later. */
async function openWithOffer() {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  const offeredMs = house.clock.now()
  await house.send({ expiresAt: offeredMs + dayMs })
  const [offer] = await house.pull(phone)
  house.clock.jumpWallClock(6 * hourMs)
  const attemptId = offer!.attemptId
  const say = (state: 'sent' | 'delivered', times: { sentAt?: number; deliveredAt?: number }) =>
    house.report(phone, { attemptId, state, error: null, ...times })
  return { house, offeredMs, say }
}

test('what a phone could only tell later was sent and delivered when the phone says', async () => {
  const { house, offeredMs, say } = await openWithOffer()
  const [sentAt, deliveredAt] = [offeredMs + 4 * hourMs, offeredMs + 5 * hourMs]
  await say('sent', { sentAt })
  const toldAt = rfc3339(house.clock.now())
  expect(await shown(house)).toEqual({ status: 'sent', sent_at: rfc3339(sentAt), delivered_at: null, updated_at: toldAt }) // prettier-ignore
  house.clock.jumpWallClock(1_000)
  await say('delivered', { sentAt, deliveredAt })
  expect(await shown(house)).toMatchObject({
    status: 'delivered',
    sent_at: rfc3339(sentAt),
    delivered_at: rfc3339(deliveredAt),
  })
  const story = await readMessageDetails(house.storage.read, owner, (await rowOf(house)).id)
  expect(story?.timeline.map(({ status, atMs }) => `${status} ${atMs - offeredMs}`)).toEqual([
    'queued 0',
    'sending 0',
    `sent ${4 * hourMs}`,
    `delivered ${5 * hourMs}`,
  ])
  await expectSums(house.storage.read, house.clock.now())
})

test('one that was sent hours ago waits for its receipt, and is found among the changes, as from the report on', async () => {
  const { house, offeredMs, say } = await openWithOffer()
  const beforeMs = house.clock.now() - 1
  await say('sent', { sentAt: offeredMs + 1 })
  const message = await rowOf(house)
  const query = { updatedAfterMs: beforeMs }
  expect((await walkHistory(house.storage, { owner, query })).rows).toMatchObject([{ id: message.id }])
  expect(await readMessageDetails(house.storage.read, owner, message.id)).toMatchObject({
    receiptsAwaited: 1,
  })
})

test('nothing was sent before it was handed over, arrived before it was sent, or happens after it was told', () => {
  const property = fc.property(
    fc.record({ sentAt: fc.integer(), deliveredAt: fc.integer() }, { requiredKeys: [] }),
    fc.nat(),
    fc.nat(),
    (said, offeredAtMs, waitedMs) => {
      const nowMs = offeredAtMs + waitedMs
      const report = {
        deviceId: 'dev_1',
        phoneId: 'phn_1',
        attemptId: 'att_1',
        state: 'sent',
        error: null,
        ...said,
      } as const
      const times = timesWithin(report, { offeredAtMs, nowMs })
      expect(Object.keys(times)).toEqual(Object.keys(said))
      for (const atMs of Object.values(times)) expect(atMs >= offeredAtMs && atMs <= nowMs).toBe(true)
      for (const [name, atMs] of Object.entries(said))
        if (atMs >= offeredAtMs && atMs <= nowMs) expect(times).toHaveProperty(name, atMs)
    },
  )
  fc.assert(property)
})

test('a clock that is wrong dates nothing before its hand-over or its sending, nor into the future', async () => {
  const { house, offeredMs, say } = await openWithOffer()
  await say('sent', { sentAt: house.clock.now() + dayMs })
  const toldAt = rfc3339(house.clock.now())
  expect(await shown(house)).toMatchObject({ sent_at: toldAt })
  house.clock.jumpWallClock(minuteMs)
  await say('delivered', { deliveredAt: offeredMs - dayMs })
  expect(await shown(house)).toMatchObject({ sent_at: toldAt, delivered_at: toldAt })
})

test('a phone that says no times tells of the moment, and a correction shows its own', async () => {
  const { house, offeredMs, say } = await openWithOffer()
  house.clock.jumpWallClock(dayMs)
  await house.sweep()
  expect(await shown(house)).toMatchObject({ status: 'unconfirmed', sent_at: null })
  await say('sent', { sentAt: offeredMs + hourMs })
  expect(await shown(house)).toMatchObject({ status: 'sent', sent_at: rfc3339(offeredMs + hourMs) })
  await say('delivered', {})
  expect(await shown(house)).toMatchObject({ delivered_at: rfc3339(house.clock.now()) })
})

test('a webhook tells the times of the phone', async () => {
  const { house, offeredMs, say } = await openWithOffer()
  const endpoint = {
    account_id: 'acc_a', id: 'whk_1', url: 'https://a.example/', mode: null, secret: 's', state: 'enabled' as const, created_at: 1, updated_at: 1,
  } // prettier-ignore
  await house.storage.writer.write((tx) => insertRows(tx, 'webhook_endpoints', [endpoint]))
  const [sentAt, deliveredAt] = [offeredMs + hourMs, offeredMs + 2 * hourMs]
  await say('delivered', { sentAt, deliveredAt })
  const events = await house.storage.read
    .selectFrom('webhook_events')
    .selectAll()
    .orderBy('sequence')
    .execute()
  const message = await rowOf(house)
  const bodies = events.map((event) => JSON.parse(eventBody(renderMessage, event, message) ?? ''))
  expect(
    bodies.map(({ data }) => [data.message.status, data.message.sent_at, data.message.delivered_at]),
  ).toEqual([
    ['sent', rfc3339(sentAt), null],
    ['delivered', rfc3339(sentAt), rfc3339(deliveredAt)],
  ])
})
