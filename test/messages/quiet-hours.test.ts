import { afterEach, beforeEach, expect, test } from 'vitest'
import { type QuietHours, setQuietHours } from '../../src/accounts/core/quiet-hours.ts'
import { cancelMessages } from '../../src/messages/queue/cancel-messages.ts'
import { readMessageDetails } from '../../src/messages/history/message-details.ts'
import { rescheduleQuietHours } from '../../src/messages/queue/defer-for-quiet-hours.ts'
import { readDevicesStatus } from '../../src/devices/status/device-status.ts'
import { expectSums } from './expect-sums.ts'
import { openTendedHouse, type TendedHouse } from './tended-house.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

// The clock of the house stands at 10:30 in Germany.
let house: TendedHouse
let releaser: ReturnType<TendedHouse['janitors']>['dueReleaser']
beforeEach(async () => {
  house = await openTendedHouse()
  releaser = house.janitors().dueReleaser
  await house.addDevice('dev_s')
})
afterEach(() => house.close())

const hourMs = 3_600_000
const owner = { accountId: 'acc_a', mode: 'live' } as const
const sums = () => expectSums(house.storage.read, house.clock.now())
const setHours = async (hours: QuietHours | null) => {
  const nowMs = house.clock.now()
  await house.storage.writer.write(async (tx) => {
    await setQuietHours(tx, { ids: house.ids, nowMs }, { accountId: 'acc_a', hours, actor: 'test' })
    await rescheduleQuietHours(tx, 'acc_a', nowMs)
  })
}
/** The same, and everybody has heard of it. */
const quiet = async (hours: QuietHours | null) => {
  await setHours(hours)
  await house.pool.reloadIfChanged()
  await house.quiet.refresh()
}
const untilNoon = { from: 8 * 60, until: 12 * 60 }
const settle = async () => {
  await releaser.sweepAll()
  await house.dispatcher.drain()
}

test('what comes in quiet hours waits, queued and holding its SMS, and goes when they end', async () => {
  await quiet(untilNoon)
  await house.send({ parts: 2 })
  await settle()
  const { id, ...message } = await house.message()
  expect(message).toMatchObject({ status: 'queued', attempts: 0, cost_state: 'held' })
  const story = await readMessageDetails(house.storage.read, owner, id)
  expect(story?.dueAtMs).toBe(Date.parse('2026-11-21T11:00:00Z'))
  const { queue } = await readDevicesStatus(house.storage.read, owner, house.clock.now())
  expect(queue).toMatchObject({ messages: 1, parts: 2, scheduledMessages: 0, estimatedWaitSeconds: null })
  await sums()
  house.clock.jumpWallClock(1.5 * hourMs - 1)
  await settle()
  expect(await house.statuses()).toEqual(['queued'])
  house.clock.jumpWallClock(1)
  await settle()
  expect(await house.statuses()).toEqual(['sent'])
  await sums()
})

test('what waited for a device until they began is not handed over in them', async () => {
  await quiet({ from: 12 * 60, until: 14 * 60 })
  await house.dispatcher.stop()
  await house.send()
  house.clock.jumpWallClock(2 * hourMs)
  await house.dispatcher.start()
  await settle()
  expect(await house.statuses()).toEqual(['queued'])
  house.clock.jumpWallClock(1.5 * hourMs)
  await settle()
  expect(await house.statuses()).toEqual(['sent'])
})

test('codes go at any hour, and so do messages of accounts without quiet hours and to numbers of no country', async () => {
  await quiet(untilNoon)
  await house.addAccount('acc_b', 10)
  await house.send({ category: 'authentication' })
  await house.send({ accountId: 'acc_b' })
  await house.send({ recipients: [{ to: '+88213300655', country: null }] })
  await house.send({ category: 'marketing' })
  await settle()
  expect(await house.statuses()).toEqual(['sent', 'sent', 'sent', 'queued'])
  // The second account was given its SMS by hand.
  await expectSums(house.storage.read, house.clock.now(), ['granted_is_ledger'])
})

test('their validity ends what waits, and it can be canceled', async () => {
  await quiet(untilNoon)
  await house.send({ expiresAt: house.clock.now() + 60_000 })
  await house.send()
  await settle()
  house.clock.jumpWallClock(60_000)
  await settle()
  expect(await house.statuses()).toEqual(['expired', 'queued'])
  const [, second] = await house.storage.read.selectFrom('messages').select('id').orderBy('id').execute()
  const [canceled] = await house.storage.writer.write(async (tx) =>
    cancelMessages(
      tx,
      await takeChange(tx, house.clock.now()),
      [{ ...owner, messageId: second!.id }],
      'canceled_by_user',
    ),
  )
  expect(canceled).toMatchObject({ result: 'canceled' })
  expect(await house.wallet()).toMatchObject({ reserved: 0 })
  await sums()
})

test('when the hours are given up what waits goes', async () => {
  await quiet(untilNoon)
  await house.send()
  await settle()
  expect(await house.statuses()).toEqual(['queued'])
  await quiet(null)
  await settle()
  expect(await house.statuses()).toEqual(['sent'])
})

test.each([
  { change: 'given up', hours: null },
  { change: 'made shorter', hours: { from: 8 * 60, until: 10 * 60 } },
])(
  'what waits goes when the hours are $change, also by a claim that has not heard of it',
  async ({ hours }) => {
    await quiet(untilNoon)
    await house.send()
    await settle()
    expect(await house.statuses()).toEqual(['queued'])
    await setHours(hours)
    await settle()
    expect(await house.statuses()).toEqual(['sent'])
  },
)

test('many wait at once, and what stands behind them in the queue is found', async () => {
  await quiet(untilNoon)
  const recipients = Array.from({ length: 90 }, (_, i) => ({ to: `+49151${20_000_000 + i}`, country: 'DE' }))
  await house.send({ to: recipients.map(({ to }) => to), recipients })
  // New Zealand is in the middle of its evening.
  await house.send({ recipients: [{ to: '+64211234567', country: 'NZ' }] })
  await settle()
  expect((await house.statuses()).filter((status) => status === 'sent')).toHaveLength(1)
  await sums()
})
