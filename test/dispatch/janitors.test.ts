import { writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dayMs } from '../../src/clock.ts'
import type { Link } from '../../src/connectors/connector.ts'
import { advanceEpoch, epochFile, releaseHeld } from '../../src/storage/epoch.ts'
import { touchDirectory } from '../../src/storage/directory-version.ts'
import { eventually } from '../eventually.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
})
afterEach(() => house.close())

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const sums = () => expectSums(house.storage.read, house.clock.now())
const countOf = async (
  table:
    | 'messages'
    | 'sends'
    | 'attempts'
    | 'idempotency_keys'
    | 'queue'
    | 'parked_receipts'
    | 'inbound_seen',
) => (await house.storage.read.selectFrom(table).selectAll().execute()).length
const manyNumbers = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `+49151${20_000_000 + i}`)

async function setDevice(settings: Record<string, string>): Promise<void> {
  await house.storage.writer.write(async (tx) => {
    await tx
      .updateTable('devices')
      .set((eb) => ({ settings: JSON.stringify(settings), updated_at: eb('updated_at', '+', 1) }))
      .execute()
    await touchDirectory(tx)
  })
  await house.pool.reloadIfChanged()
}

describe('the expirer', () => {
  test('ends a message about a second after its validity, although its device is offline, and gives its hold back', async () => {
    const { expirer } = house.janitors()
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send({ parts: 2, expiresAt: house.clock.now() + minuteMs })
    await expirer.start()
    await house.clock.advance(59_000)
    expect(await house.message()).toMatchObject({ status: 'queued', cost_state: 'held' })
    house.clock.jumpWallClock(1_000)
    await eventually(
      async () => {
        await house.clock.advance(1_000)
        return house.message()
      },
      (message) => expect(message.status).toBe('expired'),
    )
    expect(await house.message()).toMatchObject({
      cost_state: 'released',
      charged: 0,
      error_code: 'expired_in_queue',
      attempts: 0,
    })
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
    await expirer.stop()
    await sums()
  })

  test('is not needed for a message not to go late: a device that comes back after the validity gets nothing', async () => {
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send({ expiresAt: house.clock.now() + minuteMs })
    house.clock.jumpWallClock(minuteMs)
    await setDevice({})
    await house.dispatcher.drain()
    expect(await house.message()).toMatchObject({ status: 'queued', attempts: 0 })
    await house.janitors().expirer.sweepAll()
    expect(await house.message()).toMatchObject({ status: 'expired', attempts: 0 })
    await sums()
  })

  test('a message whose validity ends while its claim waits for the database is not handed over', async () => {
    const handedOver: string[] = []
    let room = 0
    await house.addDevice('dev_s')
    const link = house.pool.get('dev_s')!.link as Link
    const submit = link.submit.bind(link)
    Object.defineProperty(link, 'window', { get: () => room })
    link.submit = (handOver) => {
      handedOver.push(handOver.attemptId)
      return submit(handOver)
    }
    await house.send({ expiresAt: house.clock.now() + 2_000 })
    // A long write, such as one of the command line: the claim is asked for before the validity ends, and committed after it.
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const writing = house.storage.writer.write(() => {
      begun.resolve()
      return ended.promise
    })
    await begun.promise
    room = 1
    house.dispatcher.nudge()
    house.clock.jumpWallClock(3_000)
    ended.resolve()
    await writing
    await house.dispatcher.drain()
    await house.janitors().expirer.sweepAll()
    expect(handedOver).toEqual([])
    expect(await house.message()).toMatchObject({
      status: 'expired',
      error_code: 'expired_in_queue',
      cost_state: 'released',
    })
    await sums()
  })

  test('ends what waits for its next try too, rather than let it go late', async () => {
    await house.addDevice('dev_s', { settings: { refuse: 'now' } })
    await house.send({ expiresAt: house.clock.now() + 10_000 })
    await house.dispatcher.drain()
    expect(await house.message()).toMatchObject({ status: 'queued', attempts: 1 })
    await house.clock.advance(20_000)
    await house.dispatcher.drain()
    await house.janitors().expirer.sweepAll()
    expect(await house.message()).toMatchObject({ status: 'expired', attempts: 1, cost_state: 'released' })
    await sums()
  })

  test('leaves alone what is being handed over and what a restore holds', async () => {
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send({ expiresAt: house.clock.now() + minuteMs })
    expect(await house.claimAndDie(1)).toBe(1)
    await house.send({ expiresAt: house.clock.now() + minuteMs })
    await house.storage.writer.write((tx) => tx.updateTable('queue').set({ restore_hold: 1 }).execute())
    house.clock.jumpWallClock(hourMs)
    await house.janitors().expirer.sweepAll()
    expect(await house.statuses()).toEqual(['sending', 'queued'])
    await house.storage.writer.write(releaseHeld)
    await house.janitors().expirer.sweepAll()
    expect(await house.statuses()).toEqual(['sending', 'expired'])
    await sums()
  })

  test('ends any number in one go, each on its own time', async () => {
    await house.send({ to: manyNumbers(900), expiresAt: house.clock.now() + minuteMs })
    await house.send({ to: manyNumbers(2), expiresAt: house.clock.now() + hourMs })
    house.clock.jumpWallClock(minuteMs)
    await house.janitors().expirer.sweepAll()
    const ended = (await house.statuses()).filter((status) => status === 'expired')
    expect([ended.length, await countOf('queue')]).toEqual([900, 2])
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 2, used: 0 })
    house.clock.jumpWallClock(hourMs)
    await house.janitors().expirer.sweepAll()
    expect(await countOf('queue')).toBe(0)
    await sums()
  })
})

describe('the rescuer', () => {
  test('ends what a dead process was handing over: unconfirmed, not charged, never sent again', async () => {
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send({ parts: 3 })
    expect(await house.claimAndDie(1)).toBe(1)
    await house.janitors({ fence: 2 }).rescuer.sweepAll()
    expect(await house.message()).toMatchObject({
      status: 'unconfirmed',
      cost_state: 'released',
      charged: 0,
      error_code: 'device_unresponsive',
    })
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
    await setDevice({})
    await house.dispatcher.drain()
    expect(await house.message()).toMatchObject({ status: 'unconfirmed', attempts: 1 })
    await sums()
  })

  test('lets it go once more where the caller chose that, on one hold, and not a second time', async () => {
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send({ onUnknown: 'resend_once' })
    await house.claimAndDie(1)
    await house.janitors({ fence: 2 }).rescuer.sweepAll()
    expect(await house.message()).toMatchObject({
      status: 'queued',
      possible_duplicate: 1,
      cost_state: 'held',
    })
    await sums()
    expect(await house.claimAndDie(2)).toBe(1)
    await house.janitors({ fence: 3 }).rescuer.sweepAll()
    expect(await house.message()).toMatchObject({
      status: 'unconfirmed',
      attempts: 2,
      cost_state: 'released',
    })
    expect(await house.claimAndDie(3)).toBe(0)
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
    await sums()
  })

  test.for([1, 2])(
    'lets nothing go again after a restore, whatever the caller chose, at start %i',
    async (starts) => {
      await house.addDevice('dev_s', { settings: { offline: 'true' } })
      await house.send({ onUnknown: 'resend_once' })
      await house.claimAndDie(1)
      // The epoch file is ahead: the first start takes the database for a restored one. It may be cut off before it rescues.
      await writeFile(epochFile(house.dataFolder), '5\n')
      const restored: boolean[] = []
      for (let start = 0; start < starts; start++)
        restored.push((await advanceEpoch(house.storage, house.dataFolder, house.clock.now())).restored)
      expect(restored).toEqual([true, false].slice(0, starts))
      await house.janitors({ fence: 10 }).rescuer.sweepAll()
      expect(await house.message()).toMatchObject({ status: 'unconfirmed', attempts: 1 })
      expect(await countOf('queue')).toBe(0)
      await sums()
    },
  )

  test('leaves alone what its own process is handing over', async () => {
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send()
    await house.claimAndDie(2)
    await house.janitors({ fence: 2 }).rescuer.sweepAll()
    expect(await house.message()).toMatchObject({ status: 'sending' })
  })

  test('ends any number in one go', async () => {
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send({ to: manyNumbers(700) })
    expect(await house.claimAndDie(1)).toBe(700)
    await house.janitors({ fence: 2 }).rescuer.sweepAll()
    expect(new Set(await house.statuses())).toEqual(new Set(['unconfirmed']))
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
    await sums()
  })
})

describe('the receipt closer', () => {
  /** One message of so many parts, sent, its receipts lost. */
  async function sendWithoutReceipt(parts = 1): Promise<void> {
    await house.addDevice('dev_s', { settings: { drop_receipts: 'true' } })
    await house.send({ parts })
    await house.dispatcher.drain()
    expect(await house.message()).toMatchObject({ status: 'sent', finalized_at: null, cost_state: 'charged' })
  }

  test('calls a message unconfirmed 72 h after it was sent, and leaves it charged', async () => {
    const { receiptCloser } = house.janitors()
    await sendWithoutReceipt(2)
    house.clock.jumpWallClock(72 * hourMs - 1)
    await receiptCloser.sweepAll()
    expect(await house.message()).toMatchObject({ status: 'sent' })
    house.clock.jumpWallClock(1)
    await receiptCloser.sweepAll()
    expect(await house.message()).toMatchObject({
      status: 'unconfirmed',
      error_code: 'receipt_missing',
      charged: 2,
      cost_state: 'charged',
    })
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 2 })
    await sums()
  })

  test.for(['delivered', 'undelivered'] as const)(
    'lets a late receipt say within 7 days that it was %s, and moves no money',
    async (result) => {
      const { receiptCloser } = house.janitors()
      await sendWithoutReceipt(2)
      house.passDays(3)
      await receiptCloser.sweepAll()
      const finalizedAt = (await house.message()).finalized_at
      house.passDays(6.9)
      await receiptCloser.sweepAll()
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
      await sums()
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
    await sums()
  })

  test('forgets it after 7 days: then no receipt changes anything', async () => {
    const { receiptCloser } = house.janitors()
    await sendWithoutReceipt()
    house.passDays(3)
    await receiptCloser.sweepAll()
    house.passDays(7)
    await receiptCloser.sweepAll()
    const before = await house.message()
    await house.receipt('delivered')
    expect(await house.message()).toEqual(before)
    expect(await countOf('parked_receipts')).toBe(1)
    house.clock.jumpWallClock(72 * 60 * minuteMs - 1)
    await receiptCloser.sweepAll()
    expect(await countOf('parked_receipts')).toBe(1)
    house.clock.jumpWallClock(1)
    await receiptCloser.sweepAll()
    expect(await countOf('parked_receipts')).toBe(0)
    await sums()
  })

  test('a message is delivered only when the last of its parts is, however late', async () => {
    const { receiptCloser } = house.janitors()
    await sendWithoutReceipt(3)
    await house.receipt('delivered', 2)
    expect(await house.message()).toMatchObject({ status: 'sent' })
    house.passDays(3)
    await receiptCloser.sweepAll()
    expect(await house.message()).toMatchObject({ status: 'unconfirmed' })
    await house.receipt('delivered', 1)
    await house.receipt('delivered', 1)
    expect(await house.message()).toMatchObject({ status: 'unconfirmed' })
    await house.receipt('delivered', 3)
    expect(await house.message()).toMatchObject({ status: 'delivered', corrected: 1 })
    await sums()
  })
})

describe('retention', () => {
  test('erases texts after 30 days and leaves every time as it is', async () => {
    const { retention } = house.janitors()
    await house.addDevice('dev_s', { settings: { refuse: 'good' } })
    await house.send()
    await house.dispatcher.drain()
    const before = await house.message()
    house.clock.jumpWallClock(30 * dayMs - 1)
    await retention.sweepAll()
    expect(await house.message()).toEqual(before)
    house.clock.jumpWallClock(2)
    await retention.sweepAll()
    expect(await house.message()).toEqual({ ...before, text: null, text_redacted: 1 })
  })

  test('removes records after 90 days, and what they had used stays used and provable', async () => {
    const { retention } = house.janitors()
    await house.addDevice('dev_s', { settings: { delay_ms: '0' } })
    await house.send({ to: manyNumbers(600), idempotency: { key: 'k', fingerprint: 'f' } })
    await house.dispatcher.drain()
    await house.clock.advance(1)
    await eventually(
      () => house.statuses(),
      (statuses) => expect(new Set(statuses)).toEqual(new Set(['delivered'])),
    )
    house.passDays(89)
    await retention.sweepAll()
    expect(await countOf('messages')).toBe(600)
    await setDevice({ offline: 'true' })
    await house.send({ parts: 5 })
    house.passDays(1)
    house.clock.jumpWallClock(1_000)
    // Of two nodes each may think that it leads.
    await Promise.all([retention, house.janitors().retention].map((each) => each.sweepAll()))
    expect(await house.statuses()).toEqual(['queued'])
    expect([await countOf('sends'), await countOf('attempts'), await countOf('idempotency_keys')]).toEqual([
      1, 0, 0,
    ])
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 5, used: 600 })
    await sums()
  })

  test('comes back for what was not final yet when all around it was removed', async () => {
    const { retention, expirer } = house.janitors()
    await house.addDevice('dev_s', { settings: { delay_ms: '0' } })
    await house.send({ from: 'ACME' })
    await house.send({ to: manyNumbers(600) })
    await house.dispatcher.drain()
    await house.clock.advance(1)
    const delivered = async () => (await house.statuses()).filter((status) => status === 'delivered').length
    await eventually(delivered, (count) => expect(count).toBe(600))
    house.passDays(91)
    await retention.sweepAll()
    expect(await house.statuses()).toEqual(['queued'])
    await expirer.sweepAll()
    expect(await house.statuses()).toEqual(['expired'])
    await retention.sweepAll()
    expect([await countOf('messages'), await countOf('sends'), await countOf('attempts')]).toEqual([0, 0, 0])
    await sums()
  })

  test('erases an authentication text as soon as its message is final, and not before', async () => {
    await house.addDevice('dev_s', { settings: { delay_ms: '1000' } })
    await house.send({ category: 'authentication', text: 'Your code is 123456' })
    await house.dispatcher.drain()
    expect(await house.message()).toMatchObject({ status: 'sent', text: 'Your code is 123456' })
    await house.receipt('delivered')
    expect(await house.message()).toMatchObject({ status: 'delivered', text: null, text_redacted: 1 })
  })

  test('erases a text on time although its message became final long after its neighbours', async () => {
    const { retention } = house.janitors({ settings: { ONESIXTY_TEXT_RETENTION_DAYS: '1' } })
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send({ from: '+491701111111', expiresAt: house.clock.now() + 3 * dayMs })
    house.clock.jumpWallClock(1_000)
    await house.send({ expiresAt: house.clock.now() + hourMs })
    house.passDays(1.5)
    await house.janitors().expirer.sweepAll()
    await retention.sweepAll()
    const texts = async () =>
      (await house.storage.read.selectFrom('messages').select('text').orderBy('id').execute()).map(
        ({ text }) => text,
      )
    expect(await texts()).toEqual(['Hello', null])
    house.passDays(2)
    await house.janitors().expirer.sweepAll()
    await retention.sweepAll()
    expect(await texts()).toEqual([null, null])
  })

  test('keeps an idempotency key for 7 days and until every message of its send is final', async () => {
    const { retention, expirer } = house.janitors()
    const again = () =>
      house.send({ idempotency: { key: 'k', fingerprint: 'f' }, expiresAt: house.clock.now() + 3 * dayMs })
    await house.send({
      idempotency: { key: 'k', fingerprint: 'f' },
      expiresAt: house.clock.now() + 20 * dayMs,
    })
    house.passDays(7)
    await retention.sweepAll()
    expect(await again()).toMatchObject({ kind: 'replayed' })
    house.passDays(13)
    await expirer.sweepAll()
    await retention.sweepAll()
    expect(await again()).toMatchObject({ kind: 'accepted' })
    house.clock.jumpWallClock(7 * dayMs - 1)
    await expirer.sweepAll()
    await retention.sweepAll()
    expect(await again()).toMatchObject({ kind: 'replayed' })
    house.clock.jumpWallClock(1)
    await retention.sweepAll()
    expect(await countOf('idempotency_keys')).toBe(0)
  })

  test('forgets which received messages it knows once their records are gone', async () => {
    const { retention } = house.janitors()
    await house.storage.writer.write((tx) =>
      tx
        .insertInto('inbound_seen')
        .values({ device_id: 'dev_s', fingerprint: 'f', received_at: house.clock.now() })
        .execute(),
    )
    house.passDays(89)
    await retention.sweepAll()
    expect(await countOf('inbound_seen')).toBe(1)
    house.passDays(2)
    await retention.sweepAll()
    expect(await countOf('inbound_seen')).toBe(0)
  })
})

describe('the refiller', () => {
  test('fills play wallets up once a UTC day, within seconds of midnight, and leaves live ones alone', async () => {
    const { refiller } = house.janitors()
    await refiller.sweepAll()
    expect(await house.wallet('test')).toEqual({ granted: 1_000, reserved: 0, used: 0 })
    await house.addDevice('dev_s', { mode: 'test', settings: { delay_ms: '0' } })
    await house.send({ mode: 'test', parts: 7 })
    await house.dispatcher.drain()
    await house.send({ mode: 'test', parts: 2, expiresAt: house.clock.now() + 3 * dayMs, from: 'Nobody' })
    house.clock.jumpWallClock(14.5 * hourMs - 1)
    await refiller.sweepAll()
    expect(await house.wallet('test')).toEqual({ granted: 1_000, reserved: 2, used: 7 })
    house.clock.jumpWallClock(1)
    await refiller.start()
    await house.clock.advance(5_000)
    await eventually(
      () => house.wallet('test'),
      (wallet) => expect(wallet).toEqual({ granted: 1_009, reserved: 2, used: 7 }),
    )
    await refiller.stop()
    await refiller.sweepAll()
    expect(await house.wallet('test')).toEqual({ granted: 1_009, reserved: 2, used: 7 })
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
    await sums()
  })
})
