import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { cliJson } from '../run-command.ts'
import { withDatabase } from '../open-database.ts'
import { FaultProxy } from '../peers/fault-proxy.ts'
import type { SmscControl } from '../peers/smsc-control.ts'
import { numbersFrom, openSmppHouse, type SmppHouse } from './smpp-house.ts'

const text = 'Your code is 123456'
const window = 10

/** Numbers that the SMSC has taken a message for, as often as it has. */
const takenOf = (smsc: SmscControl): Map<string, number> => {
  const taken = new Map<string, number>()
  for (const submit of smsc.submits())
    if (submit.taken) taken.set(`+${submit.destination}`, (taken.get(`+${submit.destination}`) ?? 0) + 1)
  return taken
}

/** How many hand-overs ended without a word, and how many of their messages no receipt has settled since. */
interface Truth {
  unknown: number
  unconfirmed: number
}

/** Everything is final, nothing was taken twice, nothing that was taken is denied, and the money adds up. */
async function expectTruth(house: SmppHouse, numbers: readonly string[]): Promise<Truth> {
  const counts = await eventually(
    house.counts,
    ({ queued = 0, sending = 0, sent = 0 }) => expect(queued + sending + sent).toBe(0),
    40_000,
  )
  const taken = takenOf(house.smsc)
  expect([...taken].filter(([, times]) => times > 1)).toEqual([])
  const { delivered = 0, unconfirmed = 0, ...others } = counts
  expect(others).toEqual({})
  expect(delivered + unconfirmed).toBe(numbers.length)
  expect(taken.size).toBeGreaterThanOrEqual(delivered)
  expect(await cliJson(['doctor'], house.server.dataFolder)).toMatchObject({ ok: true })
  return { unknown: await unknownOf(house), unconfirmed }
}

const unknownOf = (house: SmppHouse): Promise<number> =>
  ask(house, `select count(*) as found from attempts where state = 'unknown'`)
const usedOf = (house: SmppHouse): Promise<number> => ask(house, `select sum(used) as found from wallets`)

const ask = (house: SmppHouse, statement: string): Promise<number> =>
  withDatabase(house.server.dataFolder, async (db) => {
    const { rows } = await sql.raw<{ found: number }>(statement).execute(db)
    return Number(rows[0]?.found)
  })

/** The SMSC behind a proxy that does to connections what networks do. */
async function openBehindProxy(
  settings: readonly string[] = [],
): Promise<{ house: SmppHouse; proxy: FaultProxy }> {
  let proxy: FaultProxy | null = null
  const house = await openSmppHouse({
    settings,
    through: async ({ host, port }) => {
      proxy = new FaultProxy({ target: { host, port } })
      onTestFinished(() => (proxy as FaultProxy).close())
      return proxy.listen()
    },
  })
  return { house, proxy: proxy as unknown as FaultProxy }
}

test('an SMSC that takes fifty a second gets everything, once', async () => {
  const house = await openSmppHouse({ settings: ['window=50'] })
  await house.smsc.set({ submit: { throttlePerSecond: 50 } })
  const numbers = numbersFrom(0, 200)
  await house.send(text, numbers)
  await expectTruth(house, numbers)
}, 60_000)

test('one word of too much costs the message it is about two seconds, and another link nothing', async () => {
  const house = await openSmppHouse()
  await house.smsc.set({ submit: { rules: [{ times: 1, status: 0x58, taken: false }] } })
  const [number = ''] = numbersFrom(0, 1)
  await house.send(text, [number])
  await expectTruth(house, [number])
  const [refused, taken] = house.smsc.submits()
  expect([refused, taken]).toMatchObject([{ taken: false }, { taken: true }])
  expect((taken as { at: number }).at - (refused as { at: number }).at).toBeLessThanOrEqual(2_000)
})

test('three handsets that stay full stand in nobody’s way: what was sent after them arrives', async () => {
  const house = await openSmppHouse()
  const full = numbersFrom(0, 3)
  await house.smsc.set({
    submit: { rules: full.map((number) => ({ destination: number.slice(1), status: 0x14, taken: false })) },
  })
  await house.send(text, full)
  await eventually(
    () => new Set(house.smsc.submits().map(({ destination }) => destination)).size,
    (refused) => expect(refused).toBe(full.length),
    10_000,
  )
  await house.send(text, numbersFrom(100, 5))
  await eventually(house.counts, ({ delivered = 0 }) => expect(delivered).toBe(5), 20_000)
}, 60_000)

test('a link that is cut every second loses nothing, doubles nothing, and knows of all but a window for each cut', async () => {
  const { house, proxy } = await openBehindProxy([`window=${window}`, 'reconnect_first_ms=100'])
  await house.smsc.set({ submit: { delayMs: 20 } })
  const numbers = numbersFrom(0, 1_500)
  proxy.cutEvery(1_000, 'rst')
  await house.send(text, numbers)
  await eventually(
    () => proxy.state().cuts,
    (cuts) => expect(cuts).toBeGreaterThanOrEqual(3),
    20_000,
  )
  const { cuts } = proxy.state()
  proxy.heal()
  await eventually(house.status, ({ status }) => expect(status).toBe('online'), 10_000)
  const { unknown } = await expectTruth(house, numbers)
  expect(unknown).toBeGreaterThan(0)
  expect(unknown).toBeLessThanOrEqual((cuts + 1) * window)
}, 90_000)

test('a connection that lies open and dead is found out, and made anew', async () => {
  const { house, proxy } = await openBehindProxy([
    'enquire_link_ms=1000',
    'enquire_link_timeout_ms=500',
    'response_timeout_ms=1000',
    'reconnect_first_ms=100',
    'reconnect_longest_ms=500',
  ])
  const before = numbersFrom(0, 5)
  await house.send(text, before)
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: 5 }), 10_000)
  proxy.halfOpen({ forMs: 600_000 })
  const numbers = numbersFrom(100, 3 * window)
  await house.send(text, numbers)
  await eventually(house.status, ({ status }) => expect(status).toBe('offline'), 10_000)
  proxy.heal()
  // What had not been handed over arrives as soon as the link is back.
  const arrives = ({ delivered = 0 }: Record<string, number>): void =>
    expect(delivered).toBeGreaterThanOrEqual(before.length + 2 * window)
  await eventually(house.counts, arrives, 10_000)
  await eventually(house.status, ({ status }) => expect(status).toBe('online'), 2_000)
  const { unknown } = await expectTruth(house, [...before, ...numbers])
  expect(unknown).toBeGreaterThan(0)
  expect(unknown).toBeLessThanOrEqual(window)
}, 60_000)

/** Three of twenty are taken without a word. */
async function loseThree(states: readonly string[]): Promise<{ house: SmppHouse; truth: Truth }> {
  const house = await openSmppHouse({
    sms: 20,
    settings: ['response_timeout_ms=500', 'enquire_link_ms=1000'],
  })
  const numbers = numbersFrom(0, 20)
  const silent = numbers.slice(0, 3).map((number) => ({ destination: number.slice(1) }))
  await house.smsc.set({
    submit: { rules: silent.map((match) => ({ ...match, how: 'silence' as const })) },
    receipts: { rules: silent.map((match) => ({ ...match, states })) },
  })
  await house.send(text, numbers)
  const truth = await expectTruth(house, numbers)
  expect(takenOf(house.smsc).size).toBe(20)
  expect(house.smsc.submits()).toHaveLength(20)
  return { house, truth }
}

test('what an SMSC takes without a word, and never speaks of, stays unconfirmed, and is not submitted a second time', async () => {
  const { truth } = await loseThree([])
  expect(truth).toEqual({ unknown: 3, unconfirmed: 3 })
})

test('what an SMSC takes without a word is delivered when its receipt comes, and neither charged nor submitted a second time', async () => {
  const { house, truth } = await loseThree(['DELIVRD'])
  expect(truth).toEqual({ unknown: 3, unconfirmed: 0 })
  expect(await house.counts()).toEqual({ delivered: 20 })
  // What a receipt settles was given back when its answer was lost, and stays so.
  expect(await usedOf(house)).toBe(17)
})

test('a kill in the middle of a window leaves at most the window unknown, and nothing goes twice', async () => {
  const house = await openSmppHouse({ ownProcess: true, settings: [`window=${window}`] })
  await house.smsc.set({ submit: { delayMs: 50 } })
  const numbers = numbersFrom(0, 400)
  await house.send(text, numbers)
  await eventually(
    () => house.smsc.submits().length,
    (submits) => expect(submits).toBeGreaterThan(50),
    10_000,
  )
  await house.server.process.kill('SIGKILL')
  await house.server.restart()
  await eventually(house.status, ({ status }) => expect(status).toBe('online'), 10_000)
  const { unknown } = await expectTruth(house, numbers)
  expect(unknown).toBeLessThanOrEqual(window)
}, 60_000)

test('a wrong password is said as it is', async () => {
  const house = await openSmppHouse()
  await house.smsc.set({ bind: { password: 'another' } })
  await house.smsc.cut('rst')
  const seen = await eventually(
    house.status,
    ({ reasons }) => expect(reasons).toContain('bind_refused'),
    10_000,
  )
  expect(seen.status).toBe('offline')
})
