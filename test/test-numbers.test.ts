import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenedAccount } from '../src/app/open-account.ts'
import type { ApiMessage } from './api-client.ts'
import { eventually } from './eventually.ts'
import { type LifeHouse, openLifeHouse } from './life-house.ts'

/** What each of the numbers for trying does, all at once, so that the waits overlap. */

let house: LifeHouse
let tester: OpenedAccount
beforeAll(async () => {
  house = await openLifeHouse()
  tester = await house.openAccount('Tester')
})
afterAll(() => house.stop())

const statusesOf = (message: ApiMessage): string[] => (message.timeline ?? []).map(({ status }) => status)

test.concurrent('a test message is queued, sending, sent and delivered, and history tells when', async () => {
  const { id } = await house.sendOne(tester.testKey, '+15005550006')
  const message = await house.reached(tester.testKey, id, 'delivered')
  expect(message).toMatchObject({ final: true, error: null, cost: { held: 1, charged: 1, state: 'charged' } })
  expect(statusesOf(message)).toEqual(['queued', 'sending', 'sent', 'delivered'])
  const times = message.timeline!.map(({ at }) => Date.parse(at))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  // From the claim on: when its answer is recorded depends on how busy the machine is.
  const [, sendingAt = 0] = times
  expect(Date.parse(message.delivered_at!) - sendingAt).toBeGreaterThanOrEqual(3_000)
})

test.concurrent('…0001 is no valid number', async () => {
  expect(await house.refusal(tester.testKey, { to: '+15005550001' })).toEqual({
    status: 422,
    code: 'validation_failed',
    first: 'invalid_number',
  })
})

test.concurrent('…0002 is undelivered because the handset is unreachable, and charged', async () => {
  const { id } = await house.sendOne(tester.testKey, '+15005550002')
  const message = await house.reached(tester.testKey, id, 'undelivered')
  expect(message).toMatchObject({ final: true, error: { code: 'unreachable' }, cost: { charged: 1 } })
  expect(statusesOf(message)).toEqual(['queued', 'sending', 'sent', 'undelivered'])
})

test.concurrent('…0003 is a destination that is not allowed', async () => {
  const answer = await house.refusal(tester.testKey, { to: '+15005550003' })
  expect(answer).toEqual({ status: 422, code: 'recipients_rejected', first: 'destination_not_allowed' })
})

test.concurrent('…0004 has opted out', async () => {
  const answer = await house.refusal(tester.testKey, { to: '+15005550004' })
  expect(answer).toEqual({ status: 422, code: 'recipients_rejected', first: 'recipient_opted_out' })
})

test.concurrent('…0005 fails at once, without a second try, and its hold is released', async () => {
  const { id } = await house.sendOne(tester.testKey, '+15005550005')
  const message = await house.reached(tester.testKey, id, 'failed', 2_000)
  expect(message).toMatchObject({ final: true, error: { code: 'device_error' }, attempts: 1 })
  expect(message.cost).toEqual({ held: 1, charged: 0, state: 'released', paid_by: 'balance' })
})

test.concurrent(
  '…0007 is sent and after 10 s unconfirmed, and stays charged',
  { timeout: 15_000 },
  async () => {
    const { id } = await house.sendOne(tester.testKey, '+15005550007')
    const sent = await house.reached(tester.testKey, id, 'sent')
    expect(sent).toMatchObject({ final: false, cost: { charged: 1 } })
    const message = await house.reached(tester.testKey, id, 'unconfirmed', 13_000)
    expect(message).toMatchObject({ final: true, error: { code: 'receipt_missing' }, cost: { charged: 1 } })
    const at = message.timeline!.find(({ status }) => status === 'unconfirmed')!.at
    expect(Date.parse(at) - Date.parse(message.sent_at!)).toBeGreaterThanOrEqual(9_900)
  },
)

test.concurrent('…0008 meets a full queue', async () => {
  expect(await house.refusal(tester.testKey, { to: '+15005550008' })).toEqual({
    status: 429,
    code: 'queue_full',
  })
})

test.concurrent('…0009 expires after about 3 s and its hold is released', async () => {
  const { id } = await house.sendOne(tester.testKey, '+15005550009')
  const message = await house.reached(tester.testKey, id, 'expired')
  expect(message).toMatchObject({ final: true, cost: { held: 1, charged: 0, state: 'released' } })
})

test.concurrent('…0010 costs more than the balance', async () => {
  const answer = await house.refusal(tester.testKey, { to: '+15005550010' })
  expect(answer).toEqual({ status: 402, code: 'insufficient_balance' })
})

test.concurrent('…0011 is delivered and answers STOP', async () => {
  const { testKey } = await house.openAccount('Stopped')
  const { id } = await house.sendOne(testKey, '+15005550011')
  await house.reached(testKey, id, 'delivered')
  const inbound = await eventually(
    () => house.client.history(testKey, 'direction=inbound'),
    (found) => expect(found).toHaveLength(1),
  )
  expect(inbound[0]).toMatchObject({ text: 'STOP', status: 'received', cost: { state: 'none', charged: 0 } })
})

test.concurrent('the test numbers are no numbers for a live key', async () => {
  for (const last of ['01', '02', '06', '11']) {
    const answer = await house.refusal(tester.liveKey, { to: `+150055500${last}` })
    expect(answer).toMatchObject({ status: 422, code: 'validation_failed', first: 'invalid_number' })
  }
})
