import { afterEach, beforeEach, expect, test } from 'vitest'
import { moveMessages } from '../../src/messages/queue/move-messages.ts'
import { eraseTexts } from '../../src/privacy/erase-texts.ts'
import { retryDelaysMs } from '../../src/webhooks/retry-schedule.ts'
import { eventually } from '../eventually.ts'
import { answered, openWebhookHouse, type WebhookHouse } from './webhook-house.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

let house: WebhookHouse
beforeEach(async () => {
  house = await openWebhookHouse()
})
afterEach(() => house.close())

test('what fails is tried again as the schedule says, under the same id and with the same state, and given up in the end', async () => {
  await house.addEndpoint({ types: ['message.queued'] })
  house.answer = () => answered(500)
  await house.addDevice('dev_s', { settings: { delay_ms: '0' } })
  await house.send()
  await house.dispatcher.drain()
  await house.deliverer.drain()
  for (const [i, delayMs] of retryDelaysMs.entries()) {
    expect(house.posted).toHaveLength(i + 1)
    await house.after(delayMs - 1)
    expect(house.posted).toHaveLength(i + 1)
    await house.after(1)
    expect(house.posted).toHaveLength(i + 2)
  }
  expect(new Set(house.posted.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(house.posted.map(({ body }) => body)).size).toBe(1)
  expect(new Set(house.posted.map(({ headers }) => headers['webhook-signature'])).size).toBe(10)
  await eventually(house.statuses, (statuses) => expect(statuses).toEqual(['delivered']))
  expect(await house.deliveries()).toMatchObject([{ outcome: 'given_up', failures: 10 }])
  await house.after(86_400_000)
  expect(house.posted).toHaveLength(10)
})

test('a repeat tells the time that was planned then, and the move to another one is told by itself', async () => {
  await house.addEndpoint()
  house.answer = () => answered(house.posted.length === 1 ? 500 : 200)
  const sendAt = house.clock.now() + 3_600_000
  await house.send({ sendAt, expiresAt: sendAt + 60_000 })
  await house.deliverer.drain()
  const { id: messageId } = await house.storage.read
    .selectFrom('messages')
    .select('id')
    .executeTakeFirstOrThrow()
  await house.storage.writer.write(async (tx) =>
    moveMessages(
      tx,
      await takeChange(tx, house.clock.now() + 1),
      [{ accountId: 'acc_a', mode: 'live', messageId }],
      sendAt + 86_400_000,
    ),
  )
  await house.after(5_000)
  const [first, ...others] = house.posted.map(({ body }) => body)
  expect(others).toHaveLength(2)
  expect(others).toContain(first)
  const moved = JSON.parse(others.find((body) => body !== first) as string) as object
  expect(JSON.parse(first as string)).toMatchObject({
    type: 'message.scheduled',
    data: {
      sequence: 1,
      previous_status: null,
      message: { send_at: '2026-11-21T10:30:00.000Z', expires_at: '2026-11-21T10:31:00.000Z' },
    },
  })
  expect(moved).toMatchObject({
    type: 'message.scheduled',
    data: {
      sequence: 2,
      previous_status: 'scheduled',
      message: { send_at: '2026-11-22T10:30:00.000Z', expires_at: '2026-11-22T10:31:00.000Z' },
    },
  })
})

test('an event of before events kept the times of the plan tells those of its message', async () => {
  await house.addEndpoint()
  const sendAt = house.clock.now() + 3_600_000
  await house.send({ sendAt, expiresAt: sendAt + 60_000 })
  await house.storage.writer.write((tx) =>
    tx.updateTable('webhook_events').set({ send_at: null, expires_at: null }).execute(),
  )
  await house.deliverer.drain()
  expect(house.bodyOf(0)).toMatchObject({
    type: 'message.scheduled',
    data: { message: { send_at: '2026-11-21T10:30:00.000Z', expires_at: '2026-11-21T10:31:00.000Z' } },
  })
})

test('a text that was erased meanwhile is not told in repeats', async () => {
  await house.addEndpoint()
  house.answer = () => answered(500)
  await house.send({ text: 'Meet me at the old mill' })
  await house.deliverer.drain()
  expect(house.bodyOf(0).data.message.text).toBe('Meet me at the old mill')
  const rows = await house.storage.read.selectFrom('messages').select(['account_id', 'mode', 'id']).execute()
  await house.storage.writer.write((tx) => eraseTexts(tx, rows))
  await house.after(5_000)
  expect(house.bodyOf(1)).toMatchObject({
    id: house.bodyOf(0).id,
    data: { message: { text: null, text_redacted: true } },
  })
})

test('a receiver that asks for time is given it, up to a day', async () => {
  await house.addEndpoint()
  house.answer = () => answered(429, house.posted.length === 1 ? '120' : '99999999')
  await house.send()
  await house.deliverer.drain()
  await house.after(119_999)
  expect(house.posted).toHaveLength(1)
  await house.after(1)
  expect(house.posted).toHaveLength(2)
  await house.after(86_399_999)
  expect(house.posted).toHaveLength(2)
  await house.after(1)
  expect(house.posted).toHaveLength(3)
})
