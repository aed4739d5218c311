import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
})
afterEach(() => house.close())

const hourMs = 3_600_000

describe('the receipt closer', () => {
  /** One message of so many parts, sent, its receipts lost. */
  async function sendWithoutReceipt(parts = 1): Promise<void> {
    await house.addDevice('dev_s', { settings: { drop_receipts: 'true' } })
    await house.send({ parts })
    await house.dispatcher.drain()
    expect(await house.message()).toMatchObject({ status: 'sent', finalized_at: null, cost_state: 'charged' })
  }

  test('calls a message unconfirmed 72 h after it was sent, and leaves it charged', async () => {
    const { receiptExpirer } = house.janitors()
    await sendWithoutReceipt(2)
    house.clock.jumpWallClock(72 * hourMs - 1)
    await receiptExpirer.sweepAll()
    expect(await house.message()).toMatchObject({ status: 'sent' })
    house.clock.jumpWallClock(1)
    await receiptExpirer.sweepAll()
    expect(await house.message()).toMatchObject({
      status: 'unconfirmed',
      error_code: 'receipt_missing',
      charged: 2,
      cost_state: 'charged',
    })
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 2 })
    await house.sums()
  })

  test.for(['delivered', 'undelivered'] as const)(
    'lets a late receipt say within 7 days that it was %s, and moves no money',
    async (result) => {
      const { receiptExpirer } = house.janitors()
      await sendWithoutReceipt(2)
      house.passDays(3)
      await receiptExpirer.sweepAll()
      const finalizedAt = (await house.message()).finalized_at
      house.passDays(6.9)
      await receiptExpirer.sweepAll()
      await house.receipt(result, 1)
      if (result === 'delivered') await house.receipt(result, 2)
      expect(await house.message()).toMatchObject({
        status: result,
        corrected: 1,
        charged: 2,
        cost_state: 'charged',
        finalized_at: finalizedAt,
      })
      expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 2 })
      await house.sums()
    },
  )

  test('a receipt of an outcome that was unknown corrects it, and charges nothing', async () => {
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send()
    await house.claimAndDie(1)
    const { accountId, mode, messageId } = {
      accountId: 'acc_a',
      mode: 'live' as const,
      messageId: (await house.message()).id,
    }
    await house.janitors().rescuer.sweepAll()
    await house.storage.writer.write(async (tx) => {
      const nowMs = house.clock.now()
      const expected = {
        account_id: accountId,
        mode,
        message_id: messageId,
        attempt_number: 1,
        wire_parts: 1,
      }
      await tx
        .insertInto('receipts_expected')
        .values({ ...expected, network_id: 'net_1', device_id: 'dev_s', sent_at: nowMs, closed_at: nowMs })
        .execute()
    })
    await house.dispatcher.receipt('dev_s', {
      networkId: 'net_1',
      result: 'delivered',
      code: null,
      networkCode: null,
    })
    expect(await house.message()).toMatchObject({
      status: 'delivered',
      corrected: 1,
      charged: 0,
      cost_state: 'released',
    })
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
    await house.sums()
  })

  test('forgets it after 7 days: then no receipt changes anything', async () => {
    const { receiptExpirer } = house.janitors()
    await sendWithoutReceipt()
    house.passDays(3)
    await receiptExpirer.sweepAll()
    house.passDays(7)
    await receiptExpirer.sweepAll()
    const before = await house.message()
    await house.receipt('delivered')
    expect(await house.message()).toEqual(before)
    expect(await house.countOf('parked_receipts')).toBe(1)
    house.clock.jumpWallClock(72 * hourMs - 1)
    await receiptExpirer.sweepAll()
    expect(await house.countOf('parked_receipts')).toBe(1)
    house.clock.jumpWallClock(1)
    await receiptExpirer.sweepAll()
    expect(await house.countOf('parked_receipts')).toBe(0)
    await house.sums()
  })

  test('a message is delivered only when the last of its parts is, however late', async () => {
    const { receiptExpirer } = house.janitors()
    await sendWithoutReceipt(3)
    await house.receipt('delivered', 2)
    expect(await house.message()).toMatchObject({ status: 'sent' })
    house.passDays(3)
    await receiptExpirer.sweepAll()
    expect(await house.message()).toMatchObject({ status: 'unconfirmed' })
    await house.receipt('delivered', 1)
    await house.receipt('delivered', 1)
    expect(await house.message()).toMatchObject({ status: 'unconfirmed' })
    await house.receipt('delivered', 3)
    expect(await house.message()).toMatchObject({ status: 'delivered', corrected: 1 })
    await house.sums()
  })
})
