import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { realKinds } from '../../src/connectors/registry.ts'
import { expireWaiting } from '../../src/messages/queue/finish-queued.ts'
import { type UnitHouse, openUnitHouse } from './unit-house.ts'
import { accepted, unknown } from './outcomes.ts'
import { changeOnDemand } from '../../src/messages/core/change-number.ts'

let house: UnitHouse
beforeEach(async () => {
  house = await openUnitHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

test('that the first try did not arrive says nothing of the second', async () => {
  await house.send({ onUnknown: 'resend_once' })
  await house.end(await house.claim(), unknown('first'))
  await house.end(await house.claim(), accepted('second'))
  await house.receipts({ first: 'undelivered' })
  expect(await house.message()).toMatchObject({ status: 'sent' })
  await house.receipts({ second: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 1, possible_duplicate: 1 })
})

test('a receipt of the first try may settle the message while the second is handed over: one charge, and the queue lets go', async () => {
  await house.send({ onUnknown: 'resend_once' })
  await house.end(await house.claim(), { ...unknown('first'), partsTaken: 0 } as Outcome)
  const second = await house.claim()
  await house.receipts({ first: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 1 })
  await house.sums()
  await house.end(second, accepted('second'))
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 1, attempts: 2 })
})

test('a delivered receipt of the first try settles a message that waits for its second: charged once, never handed over again', async () => {
  await house.send({ onUnknown: 'resend_once', parts: 2 })
  await house.end(await house.claim(), { ...unknown('first-1', 'first-2'), partsTaken: 0 } as Outcome)
  await house.receipts({ 'first-1': 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'queued', cost_state: 'held' })
  await house.receipts({ 'first-2': 'delivered' })
  expect(await house.message()).toMatchObject({
    status: 'delivered',
    charged: 2,
    cost_state: 'charged',
    parts_sent: 2,
    corrected: 0,
    attempts: 1,
  })
  expect(await house.store.db.selectFrom('queue').selectAll().execute()).toEqual([])
  await expect(house.claim()).rejects.toThrow('nothing to claim')
})

test('nor when the second try was put off, or the receipt had overtaken the loss of the first', async () => {
  await house.send({ onUnknown: 'resend_once' })
  await house.end(await house.claim(), unknown('first'))
  await house.end(await house.claim(), { kind: 'unavailable', detail: 'gone' })
  await house.receipts({ first: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 1, attempts: 2 })

  await house.send({ onUnknown: 'resend_once' })
  const claimed = await house.claim()
  await house.receipts({ early: 'delivered' })
  await house.end(claimed, unknown('early'))
  expect(await house.store.db.selectFrom('messages').select('status').execute()).toEqual([
    { status: 'delivered' },
    { status: 'delivered' },
  ])
  house.clock.jumpWallClock(60_000)
  await expect(house.claim()).rejects.toThrow('nothing to claim')
})

test('that the first try did not arrive leaves its second to go', async () => {
  await house.send({ onUnknown: 'resend_once' })
  await house.end(await house.claim(), unknown('first'))
  await house.receipts({ first: 'undelivered' })
  expect(await house.message()).toMatchObject({ status: 'queued', cost_state: 'held' })
  await house.end(await house.claim(), accepted('second'))
  await house.receipts({ second: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 1 })
})

test('a message is delivered when the parts of either try are, whichever was told first', async () => {
  await house.send({ onUnknown: 'resend_once', parts: 2 })
  await house.end(await house.claim(), { ...unknown('first-1', 'first-2'), partsTaken: 0 } as Outcome)
  await house.receipts({ 'first-1': 'delivered' })
  const second = await house.claim()
  await house.end(second, accepted('second-1', 'second-2'))
  await house.receipts({ 'second-2': 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'sent' })
  await house.receipts({ 'first-2': 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 2, corrected: 0 })
  await house.receipts({ 'second-1': 'undelivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 2 })
})

test('a refusal that is said again moves nothing while its message waits for the next', async () => {
  await house.send()
  const first = await house.claim()
  await house.end(first, { kind: 'unavailable', detail: 'gone' })
  await house.end(first, { kind: 'refused', lasts: 'good', code: 'number_invalid', networkCode: null })
  expect(await house.message()).toMatchObject({ status: 'queued', cost_state: 'held', attempts: 1 })
  await house.sums()
  house.clock.jumpWallClock(1_000)
  await house.end(await house.claim(), accepted('n2'))
  await house.end(first, { kind: 'unavailable', detail: 'gone' })
  await house.receipts({ n2: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 1, attempts: 2 })
})

test.for([
  ['a refusal for good', { kind: 'refused', lasts: 'good', code: 'number_invalid', networkCode: '11' }],
  [
    'the end of its validity at the device',
    { kind: 'refused', lasts: 'expired', code: 'expired_in_network', networkCode: null },
  ],
  [
    'a refusal of some parts',
    {
      kind: 'partial',
      networkIds: [],
      partsTaken: 0,
      receiptExpected: false,
      code: 'network_rejected',
      networkCode: null,
    },
  ],
] as const satisfies [string, Outcome][])(
  'after an unknown first try %s leaves the outcome unknown',
  async ([, outcome]) => {
    await house.send({ onUnknown: 'resend_once', parts: 2 })
    await house.end(await house.claim(), { ...unknown('first-1', 'first-2'), partsTaken: 0 } as Outcome)
    await house.end(await house.claim(), outcome)
    expect(await house.message()).toMatchObject({
      status: 'unconfirmed',
      error_code: 'device_unresponsive',
      charged: 0,
    })
    await house.receipts({ 'first-1': 'delivered', 'first-2': 'delivered' })
    expect(await house.message()).toMatchObject({ status: 'delivered', corrected: 1, charged: 0 })
  },
)

test('after an unknown first try the end of its validity leaves the outcome unknown', async () => {
  await house.send({ onUnknown: 'resend_once' })
  await house.end(await house.claim(), unknown())
  house.clock.jumpWallClock(2 * 86_400_000)
  await house.store.writer.write((tx) =>
    expireWaiting(
      tx,
      { nowMs: house.clock.now(), take: changeOnDemand(tx, house.clock.now()) },
      500,
      realKinds,
    ),
  )
  expect(await house.message()).toMatchObject({ status: 'unconfirmed', cost_state: 'released', attempts: 1 })
})

test('while a message waits again no device has it, and nobody knows of receipts; who took it in the end is told', async () => {
  await house.send()
  await house.end(await house.claim('dev_first'), {
    kind: 'refused',
    lasts: 'now',
    code: 'no_service',
    networkCode: null,
  })
  expect(await house.message()).toMatchObject({
    status: 'queued',
    device_id: null,
    receipt_expected: null,
    attempts: 1,
  })
  house.clock.jumpWallClock(15_000)
  await house.end(await house.claim(), accepted('n1'))
  expect(await house.message()).toMatchObject({ status: 'sent', device_id: 'dev_s', receipt_expected: 1 })
})

test('a message that nobody took before its validity ended was with no device', async () => {
  await house.send()
  await house.end(await house.claim(), { kind: 'unavailable', detail: 'gone' })
  house.clock.jumpWallClock(2 * 86_400_000)
  await house.store.writer.write((tx) =>
    expireWaiting(
      tx,
      { nowMs: house.clock.now(), take: changeOnDemand(tx, house.clock.now()) },
      500,
      realKinds,
    ),
  )
  expect(await house.message()).toMatchObject({ status: 'expired', device_id: null, receipt_expected: null })
})

test('the device whose try arrived is the one that had the message, whichever tried last', async () => {
  await house.send({ onUnknown: 'resend_once' })
  await house.end(await house.claim('dev_s'), unknown('first'))
  expect(await house.message()).toMatchObject({ status: 'queued', device_id: null, receipt_expected: null })
  const second = await house.claim('dev_other')
  await house.receipts({ first: 'delivered' })
  await house.end(second, accepted('second'))
  expect(await house.message()).toMatchObject({
    status: 'delivered',
    device_id: 'dev_s',
    receipt_expected: 1,
  })
})
