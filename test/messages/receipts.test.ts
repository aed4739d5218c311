import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { type UnitHouse, openUnitHouse } from './unit-house.ts'
import { accepted, unknown } from './outcomes.ts'

let house: UnitHouse
beforeEach(async () => {
  house = await openUnitHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

test('receipts in any order, repeated or together, deliver a message when the last of its parts is', async () => {
  await house.send({ parts: 3 })
  await house.end(await house.claim(), accepted('n1', 'n2', 'n3'))
  await house.receipts({ n3: 'delivered', n1: 'delivered' })
  await house.receipts({ n1: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'sent' })
  await house.receipts({ n2: 'delivered', n1: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 3, corrected: 0 })
  expect(await house.message()).toMatchObject({ error_code: null, network_code: null })
})

test('a second final word changes nothing, and stands with those that nobody waits for', async () => {
  await house.send()
  await house.end(await house.claim(), accepted('n1'))
  await house.receipts({ n1: 'delivered' })
  await house.receipts({ n1: 'undelivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', corrected: 0 })
  const parked = await house.store.db.selectFrom('parked_receipts').select(['network_id', 'body']).execute()
  expect(parked).toMatchObject([{ network_id: 'n1', body: expect.stringContaining('undelivered') as string }])
})

test('a better word about a part counts after a worse one, and is found by its ID', async () => {
  await house.send({ parts: 2 })
  await house.end(await house.claim(), accepted('n1', 'n2'))
  await house.receipts({ n1: 'undelivered' })
  expect(await house.message()).toMatchObject({ status: 'undelivered', charged: 2 })
  await house.receipts({ n2: 'delivered' })
  await house.receipts({ n1: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', corrected: 1, charged: 2 })
  expect(await house.store.db.selectFrom('parked_receipts').selectAll().execute()).toEqual([])
  await house.receipts({ n1: 'undelivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered' })
})

test('where only failures are told, a message is sent for good at once, and a failure corrects it at no cost', async () => {
  const failuresReported: Outcome = { ...accepted('n1', 'n2'), receiptExpected: false, failuresReported: true }
  await house.send({ parts: 2 })
  await house.end(await house.claim(), failuresReported)
  const sent = await house.message()
  expect(sent).toMatchObject({ status: 'sent', charged: 2, receipt_expected: 0 })
  expect(sent.finalized_at).not.toBeNull()
  await house.receipts({ n2: 'undelivered' })
  expect(await house.message()).toMatchObject({ status: 'undelivered', charged: 2, corrected: 1, finalized_at: sent.finalized_at })
  await house.receipts({ n1: 'undelivered' })
  expect(await house.message()).toMatchObject({ status: 'undelivered', charged: 2 })
}) // prettier-ignore

test('a failure that overtakes the answer counts where only failures are told', async () => {
  const failuresReported = (id: string) =>
    ({ ...accepted(id), receiptExpected: false, failuresReported: true }) as Outcome
  await house.send()
  const claimed = await house.claim()
  await house.receipts({ early: 'undelivered' })
  await house.end(claimed, failuresReported('early'))
  expect(await house.message()).toMatchObject({ status: 'undelivered', charged: 1 })
})

test('receipts that overtake the answer wait for it', async () => {
  await house.send({ parts: 2 })
  const claimed = await house.claim()
  await house.receipts({ n2: 'delivered' })
  await house.receipts({ n1: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'sending' })
  await house.end(claimed, accepted('n1', 'n2'))
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 2 })
})

test('the first part that does not arrive makes a message undelivered, and the rest change nothing', async () => {
  await house.send({ parts: 3 })
  await house.end(await house.claim(), accepted('n1', 'n2', 'n3'))
  await house.receipts({ n2: 'undelivered' })
  await house.receipts({ n1: 'delivered', n3: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'undelivered', charged: 3 })
})

test('a message of which some parts were refused is not delivered by the receipts of the others', async () => {
  await house.send({ parts: 3 })
  const refusal = { code: 'network_rejected', networkCode: null }
  await house.end(await house.claim(), {
    kind: 'partial',
    networkIds: ['n1', 'n2'],
    partsTaken: 2,
    receiptExpected: true,
    ...refusal,
  })
  expect(await house.message()).toMatchObject({ status: 'failed', charged: 2, cost_state: 'partial' })
  await house.receipts({ n1: 'delivered', n2: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'failed', corrected: 0, charged: 2 })
})

test('a message of which the fate of one part is unknown is not delivered by the receipts of the others', async () => {
  await house.send({ parts: 3 })
  await house.end(await house.claim(), unknown('n1', 'n2'))
  expect(await house.message()).toMatchObject({ status: 'unconfirmed', charged: 2, cost_state: 'partial' })
  await house.receipts({ n1: 'delivered', n2: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'unconfirmed' })
})

test('a failure of one part says nothing of the parts whose fate is unknown', async () => {
  await house.send({ parts: 3 })
  await house.end(await house.claim(), unknown('n1'))
  await house.receipts({ n1: 'undelivered' })
  expect(await house.message()).toMatchObject({
    status: 'undelivered',
    parts_sent: 1,
    charged: 1,
    error_code: 'unknown',
  })
})

test('receipts for every part of an unknown outcome settle it, and charge nothing more', async () => {
  await house.send({ parts: 2 })
  await house.end(await house.claim(), { ...unknown('n1', 'n2'), partsTaken: 1 } as Outcome)
  await house.receipts({ n1: 'delivered', n2: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', corrected: 1, charged: 1 })
})
