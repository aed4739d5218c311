import { afterEach, beforeEach, expect, test } from 'vitest'
import { realKinds } from '../../src/connectors/registry.ts'
import { judgeLate } from '../../src/dispatch/outcomes/retry-policy.ts'
import { changeOnDemand, takeChange } from '../../src/messages/core/change-number.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import { expireWaiting } from '../../src/messages/queue/finish-queued.ts'
import { unknown } from './outcomes.ts'
import { openUnitHouse, type UnitHouse } from './unit-house.ts'

let house: UnitHouse
beforeEach(async () => {
  house = await openUnitHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

/** Sent once with an unknown outcome, and waiting for its second attempt. */
async function sentOnce() {
  await house.send({ onUnknown: 'resend_once', parts: 2 })
  const claimed = await house.claim()
  await house.end(claimed, unknown())
  expect(await house.message()).toMatchObject({ status: 'queued', possible_duplicate: 1 })
  return claimed
}
async function expire(): Promise<void> {
  house.clock.jumpWallClock(86_400_000)
  const nowMs = house.clock.now()
  await house.store.writer.write((tx) =>
    expireWaiting(tx, { nowMs, take: changeOnDemand(tx, nowMs) }, 10, realKinds),
  )
}

test('a message that may have gone once is unconfirmed when its validity ends before it goes again', async () => {
  await sentOnce()
  await expire()
  expect(await house.message()).toMatchObject({
    status: 'unconfirmed',
    error_code: 'device_unresponsive',
    charged: 0,
  })
})

test('one of which its device says later that it did not go has expired', async () => {
  const claimed = await sentOnce()
  const refused = { kind: 'refused', lasts: 'good', code: 'number_invalid', networkCode: null } as const
  await house.store.writer.write((tx) =>
    settleOutcomes(tx, [judgeLate(claimed, refused, house.clock.now())], takeChange(tx, house.clock.now())),
  )
  await expire()
  expect(await house.message()).toMatchObject({
    status: 'expired',
    error_code: 'expired_in_queue',
    charged: 0,
  })
})

test('what its device says later to have been taken is charged, and its device named, when the queue ends it', async () => {
  const claimed = await sentOnce()
  const partly = { kind: 'partial', networkIds: ['n1'], partsTaken: 1, receiptExpected: true, code: 'network_rejected', networkCode: null } as const // prettier-ignore
  await house.store.writer.write((tx) =>
    settleOutcomes(tx, [judgeLate(claimed, partly, house.clock.now())], takeChange(tx, house.clock.now())),
  )
  expect(await house.message()).toMatchObject({ status: 'queued', charged: 0 })
  await expire()
  expect(await house.message()).toMatchObject({
    status: 'failed',
    charged: 1,
    parts_sent: 1,
    device_id: 'dev_s',
  })
})
