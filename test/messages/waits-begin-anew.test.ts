import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { createReceiptExpirer } from '../../src/dispatch/sweepers/receipt-expirer.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import type { Sweeper } from '../../src/dispatch/sweepers/sweeper.ts'
import { accepted, echoOf, type LostHouse, openLostHouse, receiptSweeps } from './lost-house.ts'

/** A phone sent the first attempt, of which no receipt came; days later it says that it sent the second one too. */
const windowMs = 72 * 3_600_000
const away: Outcome = { kind: 'unavailable', detail: 'gone' }
let house: LostHouse
let expirer: Sweeper
let second: Claimed
beforeEach(async () => {
  house = await openLostHouse()
  expirer = createReceiptExpirer({ ...receiptSweeps(house), correctionDays: 7 })
  await house.send()
  const first = await house.claim()
  await house.end(first, away)
  second = await house.claim()
  await house.late(first, accepted('n1'))
  await house.end(second, away)
  house.clock.jumpWallClock(windowMs)
  await expirer.sweepAll()
  expect(await house.statuses()).toEqual(['unconfirmed'])
  house.clock.jumpWallClock(3_600_000)
  await house.late(second, accepted('n2'))
  await expirer.sweepAll()
})
afterEach(async () => {
  expect(await house.wallet()).toEqual({ reserved: 0, used: 1 })
  await house.sums()
  await house.close()
})

test('a message that turns out to have been sent once more waits the whole window for the receipt of that', async () => {
  expect(await house.message()).toMatchObject({ status: 'sent', sent_at: house.clock.now(), corrected: 1 })
  house.clock.jumpWallClock(windowMs - 1)
  await expirer.sweepAll()
  expect(await house.statuses()).toEqual(['sent'])
  house.clock.jumpWallClock(1)
  await expirer.sweepAll()
  expect(await house.message()).toMatchObject({ status: 'unconfirmed', error_code: 'receipt_missing' })
})

test('its receipt may name no ID but the reference', async () => {
  await house.receive('', { hasNoId: true, ...echoOf(second) })
  expect(await house.statuses()).toEqual(['delivered'])
})
