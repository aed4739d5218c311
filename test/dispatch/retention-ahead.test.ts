import { afterEach, beforeEach, expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import { keepNumber, takeChange } from '../../src/messages/core/change-number.ts'
import { eventually } from '../eventually.ts'
import { manyNumbers, openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'

/**
 * The clock was a year ahead for an hour, and was set back: IDs and last changes stay ahead for a year (decision 62). What was
 * accepted and ended since is kept no longer than other messages.
 */
const yearMs = 365 * dayMs
let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
  await house.addDevice('dev_s', { settings: { refuse: 'good' } })
})
afterEach(() => house.close())

/** Sends, and lets each be refused for good. */
async function sendAndFail(to: string[]): Promise<void> {
  await house.send({ to })
  await house.dispatcher.drain()
  await eventually(
    () => house.statuses(),
    (statuses) => expect(new Set(statuses)).toEqual(new Set(['failed'])),
  )
}

const stored = async () => {
  const rows = await house.storage.read
    .selectFrom('messages')
    .select(['recipient', 'text'])
    .orderBy('id')
    .execute()
  return rows.map(({ recipient, text }) => [recipient.slice(-1), text])
}

test('texts and records of messages accepted after the clock was set back are erased at their time', async () => {
  const { retention } = house.janitors()
  const [ahead, ...after] = manyNumbers(4)
  house.clock.jumpWallClock(yearMs)
  await sendAndFail([ahead!])
  house.clock.jumpWallClock(-yearMs)
  await sendAndFail([after[0]!])
  house.passDays(10)
  await sendAndFail([after[1]!])
  await retention.sweepAll()
  expect(await stored()).toEqual([['0', 'Hello'], ['1', 'Hello'], ['2', 'Hello']]) // prettier-ignore

  house.passDays(20)
  house.clock.jumpWallClock(1)
  await retention.sweepAll()
  expect(await stored()).toEqual([['0', 'Hello'], ['1', null], ['2', 'Hello']]) // prettier-ignore
  house.passDays(10)
  await retention.sweepAll()
  expect(await stored()).toEqual([['0', 'Hello'], ['1', null], ['2', null]]) // prettier-ignore

  house.passDays(50)
  await retention.sweepAll()
  expect(await stored()).toEqual([['0', 'Hello'], ['2', null]]) // prettier-ignore
  house.passDays(10)
  await retention.sweepAll()
  expect(await stored()).toEqual([['0', 'Hello']])
  await house.sums()
})

test('a message that was accepted before and ended after it is removed at its time, and one that was corrected lately stays', async () => {
  const { retention } = house.janitors()
  await house.send({ to: manyNumbers(2) })
  // A unit of another account.
  await house.storage.writer.write(async (tx) =>
    keepNumber(tx, await takeChange(tx, house.clock.now() + yearMs), ['acc_other']),
  )
  await house.send({ to: ['+4915120000009'] })
  await house.dispatcher.drain()
  await eventually(
    () => house.statuses(),
    (statuses) => expect(new Set(statuses)).toEqual(new Set(['failed'])),
  )
  house.passDays(81)
  const [first] = await house.storage.read.selectFrom('messages').select('id').where('mode', '=', 'live').orderBy('id').execute() // prettier-ignore
  await house.storage.writer.write((tx) =>
    tx.updateTable('messages').set({ delivered_at: house.clock.now() }).where('id', '=', first!.id).execute(),
  )
  house.passDays(9.5)
  await retention.sweepAll()
  const left = await house.storage.read
    .selectFrom('messages')
    .select('id')
    .where('mode', '=', 'live')
    .execute()
  expect(left).toEqual([first])
})

test('a page of messages is read at once, however many were accepted since', async () => {
  const { retention } = house.janitors()
  house.clock.jumpWallClock(yearMs)
  await sendAndFail(manyNumbers(1))
  house.clock.jumpWallClock(-yearMs)
  await sendAndFail(manyNumbers(1_100 / 2))
  house.passDays(30)
  house.clock.jumpWallClock(1)
  await retention.sweepAll()
  expect((await stored()).filter(([, text]) => text !== null)).toHaveLength(1)
  house.passDays(61)
  await retention.sweepAll()
  expect(await house.countOf('messages')).toBe(1)
  expect(await house.countOf('attempts')).toBe(1)
  expect(await house.countOf('sends')).toBe(0)
  await house.sums()
})
