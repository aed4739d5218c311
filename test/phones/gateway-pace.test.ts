import { expect, test } from 'vitest'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { eventually } from '../eventually.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { liftPace, openDeskHouse, sayAll } from './gateway-fixture.ts'
import { appWords } from './app-words.ts'

const thirtyMinutesMs = 30 * 60_000
test('a phone is given what its pace allows, and a restart gives it no more', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  for (let i = 0; i < 2; i++)
    await house.send({ to: Array.from({ length: 20 }, (_, n) => `+49151123456${i}${n}`) })
  const pages: number[] = []
  for (let i = 0; i < 4; i++) {
    const page = await house.pull(phone)
    pages.push(page.length)
    await house.report(phone, ...page.map(sayAll('pending')))
    house.restart()
  }
  expect(pages).toEqual([20, 10, 0, 0])
  await house.clock.advance(30 * 60_000)
  const later = await house.pull(phone)
  expect(later.filter(({ isAgain }) => !isAgain)).toHaveLength(10)
  expect(later).toHaveLength(20)
})

test('a phone holds no more than its page without having said so', async () => {
  for (const window of [3, 30]) {
    const house = await openDeskHouse({ window })
    const phone = await house.register('1')
    await liftPace(house)
    for (let n = 0; n < 40; n++) await house.send()
    const held = await house.pull(phone)
    expect(held).toHaveLength(window)
    const sending = async () => (await house.statuses()).filter((status) => status === 'sending').length
    expect([(await house.pull(phone)).length, await sending()]).toEqual([window, window])
    await house.report(phone, { attemptId: held[0]!.attemptId, state: 'pending', error: null })
    expect([(await house.pull(phone)).length, await sending()]).toEqual([window, window + 1])
  }
})

test('each SIM that takes its turn has the pace of the device for itself, and a restart gives none more', async () => {
  const house = await openDeskHouse({ window: 100, sims: { simOf: new Map(), turns: [1, 2] } })
  const phone = await house.register('1')
  await house.send({ to: Array.from({ length: 90 }, (_, n) => `+4915112345${600 + n}`) })
  const first = await house.pull(phone)
  expect(countsBySim(first)).toEqual({ 1: 30, 2: 30 })
  await house.report(phone, ...first.map(sayAll('pending')))
  expect(await house.pull(phone)).toEqual([])
  house.restart()
  expect(await house.pull(phone)).toEqual([])
  expect(house.pool.get(phone.deviceId)?.throughput()).toMatchObject({ partsPerWindow: 60, remaining: 0 })
  await house.clock.advance(thirtyMinutesMs)
  const later = (await house.pull(phone)).filter(({ isAgain }) => !isAgain)
  expect(countsBySim(later)).toEqual({ 1: 15, 2: 15 })
})

test('a message for which a SIM was chosen goes over that SIM alone, and waits while it is at its pace', async () => {
  const house = await openDeskHouse({ window: 100, sims: { simOf: new Map(), turns: [1, 2] } })
  const phone = await house.register('1')
  const over = (sim: number, count: number) =>
    house.send({ recipients: Array.from({ length: count }, (_, n) => ({ to: `+4915112345${600 + n}`, country: 'DE', way: `${phone.deviceId}/${sim}` })) }) // prettier-ignore
  await over(2, 40)
  await over(1, 5)
  expect(countsBySim(await house.pull(phone))).toEqual({ 1: 5, 2: 30 })
})

test('who asks for the SIM that is at its pace waits for it, and holds up nobody who goes by the other', async () => {
  const numbers = new Map([
    ['+4915100000001', 1],
    ['+4915100000002', 2],
  ])
  const house = await openDeskHouse({ window: 100, sims: { simOf: numbers, turns: [1, 2] } })
  const phone = await house.register('1')
  await house.storage.writer.write(async (tx) => {
    const senders = JSON.stringify([...numbers.keys()])
    await tx
      .updateTable('devices')
      .set({ senders, updated_at: house.clock.now() + 1 })
      .execute()
    await touchDirectory(tx)
  })
  await house.pool.reloadIfChanged()
  await house.send({
    from: '+4915100000001',
    to: Array.from({ length: 40 }, (_, n) => `+4915112345${600 + n}`),
  })
  const first = await house.pull(phone)
  expect(countsBySim(first)).toEqual({ 1: 30 })
  await house.report(phone, ...first.map(sayAll('pending')))
  house.woken.length = 0
  await house.dispatcher.drain()
  expect(house.woken).toEqual([])
  await house.send({ to: Array.from({ length: 10 }, (_, n) => `+4915112346${600 + n}`) })
  await house.send({
    from: '+4915100000002',
    to: Array.from({ length: 10 }, (_, n) => `+4915112347${600 + n}`),
  })
  expect(countsBySim(await house.pull(phone))).toEqual({ 2: 20 })
})

test('a single message goes over the SIM that has sent least, also without a pace', async () => {
  const house = await openDeskHouse({ sims: { simOf: new Map(), turns: [1, 2] } })
  const phone = await house.register('1')
  await liftPace(house)
  const sims: (number | null)[] = []
  for (const parts of [3, 1, 1, 1, 1]) {
    await house.send({ parts })
    const [offer] = await house.pull(phone)
    sims.push(offer!.sim)
    await house.report(phone, sayAll('pending')(offer!))
  }
  expect(sims).toEqual([1, 2, 2, 2, 1])
})

const countsBySim = (offers: readonly { sim: number | null }[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(offers, ({ sim }) => String(sim))].map(([sim, own]) => [sim, own.length]),
  )

test('a phone whose page the pace has cut short is called again as soon as its window ends, and not before', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ to: Array.from({ length: 40 }, (_, n) => `+4915112346${600 + n}`) })
  const pages: number[] = []
  for (let i = 0; i < 3; i++) {
    const page = await house.pull(phone)
    pages.push(page.length)
    await house.report(phone, ...page.map(sayAll('sent')))
  }
  expect(pages).toEqual([20, 10, 0])
  await house.clock.advance(1_000)
  await house.dispatcher.drain()
  house.woken.length = 0
  await house.clock.advance(thirtyMinutesMs - 2_000)
  await house.dispatcher.drain()
  expect(house.woken).toEqual([])
  await house.clock.advance(2_000)
  await eventually(
    () => house.woken,
    (woken) => expect(woken).toContain(phone.deviceId),
  )
  expect(await house.pull(phone)).toHaveLength(10)
})

test('a phone on which Android lets no more out gets nothing until its limit is over, and the message goes by another or waits', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ to: ['+4915112345601', '+4915112345602'] })
  const offers = await house.pull(phone)
  await house.report(phone, ...offers.map(sayAll('pending')))
  await house.report(phone, sayAll('failed', appWords.limitExceeded)(offers[0]!))
  await house.clock.advance(60_000)
  await house.report(phone, sayAll('failed', appWords.limitExceeded)(offers[1]!))
  const runtime = house.pool.get(phone.deviceId)!
  expect(runtime.health).toMatchObject({ status: 'degraded', reasons: ['limit_reached'] })
  house.woken.length = 0
  for (const ms of [60_000, 600_000, 600_000]) {
    await house.clock.advance(ms)
    await house.dispatcher.drain()
    expect(await house.pull(phone)).toEqual([])
  }
  expect(house.woken).toEqual([])
  expect(await house.statuses()).toEqual(['queued', 'queued'])
  const other = await house.register('2')
  house.connected.add(other.deviceId)
  const [elsewhere] = await house.pull(other)
  expect(elsewhere).toBeDefined()
  await house.send({ to: ['+4915112345603'] })
  await house.clock.advance(thirtyMinutesMs - 1_320_000)
  expect(runtime.health).toMatchObject({ status: 'online', reasons: [] })
  expect(await house.pull(phone)).not.toEqual([])
  await expectSums(house.storage.read, house.clock.now())
})
