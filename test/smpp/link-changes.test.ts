import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { cliJson } from '../run-command.ts'
import { judgeTexts } from '../peers/sms-text/reassemble.ts'
import { numbersFrom, openSmppHouse, type SmppHouse } from './smpp-house.ts'

const short = 'Your code is 123456'
const long = 'Your parcel costs 3 € [today]. '.repeat(14)

/** How many messages stand in each state, once none moves any more. */
const finalCounts = (house: SmppHouse): Promise<Record<string, number>> =>
  eventually(
    house.counts,
    ({ queued = 0, sending = 0, sent = 0 }) => expect(queued + sending + sent).toBe(0),
    40_000,
  )

test('window and rate are changed while messages flow: nothing is lost, doubled, cut in half or unknown, and the changes hold', async () => {
  const house = await openSmppHouse({ settings: ['window=10'] })
  await house.smsc.set({ submit: { delayMs: 100 } })
  const meant: { to: string; text: string }[] = []
  const send = async (text: string, first: number, count: number): Promise<void> => {
    const numbers = numbersFrom(first, count)
    await house.send(text, numbers)
    meant.push(...numbers.map((to) => ({ to, text })))
  }
  const flowsOn = (count: number): Promise<number> => {
    const before = house.smsc.submits().length
    return eventually(
      () => house.smsc.submits().length,
      (submits) => expect(submits).toBeGreaterThanOrEqual(before + count),
      10_000,
    )
  }
  const session = async () => (await house.smsc.state()).sessions.at(-1)
  const most = async (): Promise<number> => (await session())?.maxInFlight ?? 0
  const binds = (): number => house.smsc.links('bound').length

  await send(long, 0, 300)
  await send(short, 1_000, 400)
  await flowsOn(40)
  expect(await most()).toBeLessThanOrEqual(10)
  await house.set('window=30')
  await eventually(most, (inFlight) => expect(inFlight).toBeGreaterThan(10), 10_000)
  expect(await most()).toBeLessThanOrEqual(30)
  await house.set('max_per_second=100', 'window=3', 'validity=absolute')
  await eventually(
    async () => (await session())?.inFlight,
    (inFlight) => expect(inFlight).toBeLessThanOrEqual(3),
    10_000,
  )
  await flowsOn(20)
  // So far in one session; times of a session are its own, and take a new one.
  expect(binds()).toBe(1)
  await house.set('response_timeout_ms=29000', 'max_per_second=', 'window=20')
  await eventually(binds, (count) => expect(count).toBe(2), 10_000)
  await flowsOn(20)
  await house.set('response_timeout_ms=28000', 'validity=none')
  await eventually(binds, (count) => expect(count).toBe(3), 10_000)

  expect(await finalCounts(house)).toEqual({ delivered: meant.length })
  const { lost, twice, strange, incomplete, repeated, wrong } = judgeTexts(meant, house.smsc.submits())
  expect({ lost, twice, strange, incomplete, repeated, wrong }).toEqual({
    lost: [],
    twice: [],
    strange: [],
    incomplete: [],
    repeated: [],
    wrong: [],
  })
  expect(await cliJson(['doctor'], house.server.dataFolder)).toMatchObject({ ok: true })
}, 90_000)

test('a planned restart while long messages flow cuts none in half and leaves none unknown', async () => {
  const house = await openSmppHouse({ ownProcess: true, settings: ['window=10'] })
  await house.smsc.set({ submit: { delayMs: 40 } })
  const numbers = numbersFrom(0, 150)
  await house.send(long, numbers)
  await eventually(
    () => house.smsc.submits().length,
    (submits) => expect(submits).toBeGreaterThan(40),
    10_000,
  )
  expect(await house.server.process.stop()).toMatchObject({ code: 0 })
  expect(house.smsc.submits().length).toBeLessThan(numbers.length * 3)
  await house.server.restart()
  expect(await finalCounts(house)).toEqual({ delivered: numbers.length })
  const { lost, twice, incomplete, repeated } = judgeTexts(
    numbers.map((to) => ({ to, text: long })),
    house.smsc.submits(),
  )
  expect({ lost, twice, incomplete, repeated }).toEqual({ lost: [], twice: [], incomplete: [], repeated: [] })
}, 60_000)
