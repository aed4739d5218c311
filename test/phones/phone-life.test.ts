import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { sizeOf } from '../proof-sizes.ts'
import { numbersFrom, openPhoneHouse } from './phone-house.ts'

test('a phone that was given address and token sends what it is asked to, and history says delivered', async () => {
  const house = await openPhoneHouse()
  await house.send(numbersFrom(0, 3))
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: 3 }), 20_000)
  expect(house.phones.all.radioLog()).toHaveLength(3)
  await house.expectSums()
}, 60_000)

test('of what a phone holds, a code to sign in with goes before an order and an order before an advertisement', async () => {
  const house = await openPhoneHouse({ holdPending: true })
  const [last = '', second = '', first = ''] = numbersFrom(0, 3)
  await house.send([last], { category: 'marketing' })
  await house.send([second], { category: 'transactional' })
  await house.send([first], { category: 'authentication' })
  await eventually(house.given, (given) => expect(given).toBe(3), 20_000)
  await eventually(
    async () => (await house.phones.views())[0]?.messages ?? [],
    (held) => expect(held).toHaveLength(3),
    20_000,
  )
  await house.phones.set({ holdPending: false })
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: 3 }), 20_000)
  expect(house.phones.all.radioLog().map(({ to }) => to)).toEqual([first, second, last])
}, 60_000)

const manyAtOnce = sizeOf('PHONE_MESSAGES')

// A phone holds twenty, and hears of more once a second.
test(`check 18 and 19: of ${manyAtOnce} messages at once a phone hears once a second at most, and has them all`, async () => {
  const house = await openPhoneHouse({ timeScale: 500 })
  await house.liftPace()
  await eventually(house.devices, ([device]) => expect(device?.throughput).toBeNull(), 15_000)
  const startedMs = Date.now()
  await house.send(numbersFrom(0, manyAtOnce))
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: manyAtOnce }), 60_000)
  const seconds = (Date.now() - startedMs) / 1_000
  const events = house.phones.all.streamLog('event').filter(({ event }) => event === 'MessageEnqueued')
  expect(events.length).toBeLessThanOrEqual(seconds + 1)
  const numbers = house.phones.all.radioLog().map(({ to }) => to)
  expect(new Set(numbers).size).toBe(manyAtOnce)
  expect(numbers).toHaveLength(manyAtOnce)
  await house.expectSums()
}, 90_000)

test('check 26: a server that is killed has its phones back, and nothing is lost or sent twice', async () => {
  const house = await openPhoneHouse({ ownProcess: true, count: 3, timeScale: 200 })
  await house.liftPace()
  await house.send(numbersFrom(0, 60))
  await eventually(
    () => house.phones.all.radioLog().length,
    (sent) => expect(sent).toBeGreaterThan(5),
    20_000,
  )
  await house.killAndRestart()
  await house.send(numbersFrom(100, 60))
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: 120 }), 60_000)
  const numbers = house.phones.all.radioLog().map(({ to }) => to)
  expect(new Set(numbers).size).toBe(120)
  expect(numbers).toHaveLength(120)
  await house.expectSums()
}, 120_000)

test('check 21: a message that its phone holds back is canceled by the operator, and one that was sent is not', async () => {
  const house = await openPhoneHouse({ holdPending: true })
  const [held = ''] = await house.send(numbersFrom(0, 1))
  await eventually(house.given, (given) => expect(given).toBe(1), 10_000)
  await eventually(
    () => house.phones.all.requests('GET', '/message').length,
    (pulls) => expect(pulls).toBeGreaterThan(1),
    10_000,
  )
  expect(await house.cancel(held)).toMatchObject({
    ok: true,
    messages: [{ result: 'asked', status: 'sending' }],
  })
  await eventually(house.counts, (counts) => expect(counts).toEqual({ canceled: 1 }), 20_000)
  await house.phones.set({ holdPending: false })
  const [sent = ''] = await house.send(numbersFrom(1, 1))
  await eventually(house.counts, (counts) => expect(counts).toEqual({ canceled: 1, delivered: 1 }), 20_000)
  expect(await house.cancel(sent)).toMatchObject({
    ok: false,
    messages: [{ result: 'too_late', status: 'delivered' }],
  })
  expect(house.phones.all.radioLog().map(({ to }) => to)).toEqual(numbersFrom(1, 1))
  await house.expectSums()
}, 90_000)
