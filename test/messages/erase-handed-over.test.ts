import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import { type Claimed, claimMessages } from '../../src/messages/queue/claim-messages.ts'
import type { InboundMessage } from '../../src/messages/inbound/inbound-message.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { receiveMessages } from '../../src/messages/inbound/receive-messages.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { tablesWith } from './every-cell.ts'
import { type ErasureHouse, type ErasureStore, openErasureStore } from './erasure-house.ts'
import { changeOnDemand, takeChange } from '../../src/messages/core/change-number.ts'

/** An account that is erased while one of its messages is being handed over, or while something comes in. */

let store: ErasureStore
let house: ErasureHouse
beforeAll(async () => {
  store = await openErasureStore()
})
beforeEach(async () => {
  house = await store.twoAccounts()
})
afterAll(() => store.close())

const claimWaiting = () =>
  house.store.writer.write(async (tx) => {
    const request = {
      accountId: house.filled.accountId,
      mode: 'live',
      deviceId: house.filled.deviceId,
    } as const
    const room = {
      routeKey: routeKeyOf({ mode: 'live', sender: house.shop.mark }),
      quota: 1,
      partsOver: 0,
      partsUpTo: 10,
    }
    const at = {
      requests: [{ ...request, ...room }],
      nowMs: house.clock.now(),
      dueMs: house.clock.now(),
      fence: 1,
    }
    return (await claimMessages(tx, house.ids, at, changeOnDemand(tx, at.nowMs))).claimed[0] as Claimed
  })
const offer = ({ attemptId, messageId }: Claimed) =>
  house.store.writer.write(async (tx) => {
    const { accountId, deviceId } = house.filled
    const phone = await tx
      .selectFrom('phones')
      .select('id')
      .where('device_id', '=', deviceId)
      .executeTakeFirstOrThrow()
    const row = {
      attempt_id: attemptId, device_id: deviceId, phone_id: phone.id, account_id: accountId, mode: 'live', message_id: messageId,
      attempt_number: 1, offered_at: 1, last_offered_at: 1,
    } as const // prettier-ignore
    await insertRows(tx, 'phone_offers', [row])
  })

test('while a message is being handed over the account is suspended, nothing is erased, and it says until when', async () => {
  const claimed = await claimWaiting()
  await offer(claimed)
  const told = await house.erase(3)
  const finalBy = claimed.expiresAt + 3 * 3_600_000
  expect(told.map(({ step, inFlight }) => [step, inFlight])).toEqual([
    ['hand_over', 1],
    ['hand_over', 1],
    ['hand_over', 1],
  ])
  expect(told[0]?.finalBy).toBe(finalBy)
  expect(await house.stateOf()).toBe('suspended')
  const asked = await house.store.db
    .selectFrom('phone_offers')
    .select(['recall', 'recalled_at'])
    .where('account_id', '=', house.filled.accountId)
    .execute()
  expect(asked, 'the phone is asked to let go').toEqual([{ recall: 'move', recalled_at: house.clock.now() }])
  expect(await tablesWith(house.store.db, [`Hello ${house.shop.mark}`])).toContain('messages')
})

test('it goes on by itself once what was being handed over is final', async () => {
  const claimed = await claimWaiting()
  let isSettled = false
  for await (const now of house.begin()) {
    if (now.inFlight === 0 || isSettled) continue
    isSettled = true
    const outcome = { kind: 'accepted', networkIds: ['n9'], receiptExpected: false } as const
    await house.store.writer.write((tx) =>
      settleOutcomes(
        tx,
        [judgeOutcome(claimed, outcome, house.clock.now())],
        takeChange(tx, house.clock.now()),
      ),
    )
  }
  expect(await tablesWith(house.store.db, house.traces)).toEqual([])
  const kept = await house.store.db
    .selectFrom('messages')
    .selectAll()
    .where('id', '=', claimed.messageId)
    .executeTakeFirst()
  expect(kept).toMatchObject({ status: 'sent', charged: 1 })
})

test('what comes in at the last moment is erased before the name goes', async () => {
  let hasCome = false
  for await (const { step } of house.begin()) {
    if (step !== 'audit_log' || hasCome) continue
    hasCome = true
    await house.store.writer.write(async (tx) =>
      receiveMessages(
        tx,
        { ids: house.ids, unit: await takeChange(tx, house.clock.now()) },
        [lateMessage()],
        { joinMs: 60_000, maxCharacters: 40_000 },
      ),
    )
  }
  expect(hasCome).toBe(true)
  expect(await tablesWith(house.store.db, house.traces)).toEqual([])
})

const lateMessage = (): InboundMessage => ({
  deviceId: house.filled.deviceId, accountId: house.filled.accountId, mode: 'live', from: house.shop.number, to: '', country: 'DE', text: house.shop.mark,
  encoding: 'gsm7', units: 5, parts: 1, storedAt: house.clock.now(), inReplyTo: null, fingerprint: 'late',
}) // prettier-ignore
