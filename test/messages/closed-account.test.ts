import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { type UnitHouse, openUnitHouse } from './unit-house.ts'

let house: UnitHouse
beforeEach(async () => {
  house = await openUnitHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

const close = (state: 'closed' | 'suspended' = 'closed') =>
  house.store.writer.write((tx) => tx.updateTable('accounts').set({ state }).execute())
const waiting = () => house.store.db.selectFrom('queue').selectAll().execute()

test.for([
  ['refused for now', { kind: 'refused', lasts: 'now', code: 'no_service', networkCode: null }],
  ['throttled', { kind: 'refused', lasts: 'busy', code: 'network_congested', networkCode: null }],
  ['not handed over', { kind: 'unavailable', detail: 'gone' }],
] as const satisfies [string, Outcome][])(
  'a message that is %s after its account was closed is canceled, and its hold released',
  async ([, outcome]) => {
    await house.send({ parts: 2 })
    const claimed = await house.claim()
    await close()
    await house.end(claimed, outcome)
    expect(await house.message()).toMatchObject({
      status: 'canceled',
      error_code: 'account_closed',
      cost_state: 'released',
      charged: 0,
      attempts: 1,
    })
    expect(await waiting()).toEqual([])
  },
)

test('one whose outcome is unknown does not go again for a closed account, and nobody says that it never went', async () => {
  await house.send({ onUnknown: 'resend_once' })
  const claimed = await house.claim()
  await close()
  await house.end(claimed, { kind: 'unknown', networkIds: ['n1'], partsTaken: 0, detail: 'no answer' })
  expect(await house.message()).toMatchObject({ status: 'unconfirmed', cost_state: 'released' })
  expect(await waiting()).toEqual([])
  await house.receipts({ n1: 'delivered' })
  expect(await house.message()).toMatchObject({ status: 'delivered', corrected: 1, charged: 0 })
})

test('one that the network took is sent and charged, closed account or not', async () => {
  await house.send()
  const claimed = await house.claim()
  await close()
  await house.end(claimed, { kind: 'accepted', networkIds: ['n1'], receiptExpected: true })
  expect(await house.message()).toMatchObject({ status: 'sent', charged: 1 })
})

test('what is refused for now while its account is suspended waits', async () => {
  await house.send()
  const claimed = await house.claim()
  await close('suspended')
  await house.end(claimed, { kind: 'unavailable', detail: 'gone' })
  expect(await house.message()).toMatchObject({ status: 'queued', cost_state: 'held' })
  expect(await waiting()).toHaveLength(1)
})
