import { expect, test } from 'vitest'
import { refusalBackoffsMs } from '../../src/dispatch/outcomes/retry-policy.ts'
import { eventually } from '../eventually.ts'
import { cliJson } from '../run-command.ts'
import { createSkippingClock } from '../skipping-clock.ts'
import { numbersFrom, openPhoneHouse, type PhoneHouse } from './phone-house.ts'

const deliveredAll = (house: PhoneHouse, count: number): Promise<unknown> =>
  eventually(house.counts, (counts) => expect(counts).toMatchObject({ delivered: count }), 60_000)

test('check 10 and 11: reports that come twice and out of order take nothing back, and each message is charged once', async () => {
  const house = await openPhoneHouse({ timeScale: 50, reportReorder: 0.5, reportDuplicate: 0.5, outcome: { 'delivered': 3, 'regress': 2, 'missing-sent': 1 } }) // prettier-ignore
  await house.send(numbersFrom(0, 20))
  await deliveredAll(house, 20)
  await eventually(house.phones.views, ([view]) => expect(view?.reportsWaiting).toBe(0), 20_000)
  expect(await house.counts()).toEqual({ delivered: 20 })
  expect(house.phones.all.radioLog()).toHaveLength(20)
  await house.expectSums()
}, 120_000)

test('check 22, 23 and 24: a received message is signed, comes twice and is there once; it is answered within 1 s under load', async () => {
  const house = await openPhoneHouse({ timeScale: 50, webhookDouble: 1 })
  await house.liftPace()
  // From then on its webhooks are ours, signed by our key.
  await eventually(house.phones.views, ([view]) => expect(view?.webhooks).toHaveLength(4), 20_000)
  await eventually(house.phones.views, ([view]) => expect(view?.settings).toMatchObject({ pingEveryS: 600 }), 20_000) // prettier-ignore
  const sending = house.send(numbersFrom(0, 300))
  for (let n = 0; n < 5; n++)
    await house.phones.receiveSms(house.phones.phone(0), { from: '+4915550007777', text: `Hello ${n}`, receivedAtMs: Date.now() - n * 2_000 }) // prettier-ignore
  await sending
  const inbound = () => house.history('&direction=inbound')
  await eventually(inbound, (messages) => expect(messages).toHaveLength(5), 30_000)
  await eventually(house.phones.views, ([view]) => expect(view?.webhooksWaiting).toBe(0), 30_000)
  expect(await inbound()).toHaveLength(5)
  const hooks = house.phones.all.requests('POST', '/hooks/')
  expect(hooks.filter(({ status }) => status === 204).length).toBeGreaterThanOrEqual(10)
  for (const { status, tookMs } of hooks.filter((hook) => hook.status !== 401))
    expect({ status, isSoon: tookMs < 1_000 }).toEqual({ status: 204, isSoon: true })
}, 120_000)

test('a received message of three parts is one row, though the phone tells it twice', async () => {
  const house = await openPhoneHouse({ timeScale: 50, webhookDouble: 1 })
  await eventually(house.phones.views, ([view]) => expect(view?.webhooks).toHaveLength(4), 20_000)
  await eventually(house.phones.views, ([view]) => expect(view?.settings).toMatchObject({ pingEveryS: 600 }), 20_000) // prettier-ignore
  const text = 'A long answer, as the phone has joined it. '.repeat(9).trim()
  await house.phones.receiveSms(house.phones.phone(0), { from: '+4915550007777', text })
  await eventually(house.phones.views, ([view]) => expect(view?.webhooksWaiting).toBe(0), 30_000)
  const told = house.phones.all.requests('POST', '/hooks/').filter(({ status }) => status === 204)
  expect(told.length).toBeGreaterThanOrEqual(2)
  expect(await house.history('&direction=inbound')).toMatchObject([
    { direction: 'inbound', status: 'received', from: '+4915550007777', text, parts: 3, cost: { state: 'none' } },
  ]) // prettier-ignore
  await house.expectSums()
}, 60_000)

test('a phone whose clock goes a day ahead sends its first messages too, before anybody could know of it', async () => {
  const clock = createSkippingClock()
  const house = await openPhoneHouse({ clockOffsetMs: 86_400_000, timeScale: 400, clock })
  await house.send(numbersFrom(0, 2), { category: 'authentication' })
  // For its clock they had expired: they are queued again, for after the back-off.
  await eventually(() => house.phones.all.requests('PATCH', '/message').length, (told) => expect(told).toBe(2), 10_000) // prettier-ignore
  await eventually(house.counts, (counts) => expect(counts).toEqual({ queued: 2 }))
  clock.skip(refusalBackoffsMs[0])
  await deliveredAll(house, 2)
  expect(house.phones.all.radioLog()).toHaveLength(2)
  await house.expectSums()
}, 90_000)

test('a phone whose clock goes a day behind is believed, and told apart from one that reports late', async () => {
  const house = await openPhoneHouse({ clockOffsetMs: -86_400_000, timeScale: 50 })
  await eventually(house.phones.views, ([view]) => expect(view?.webhooks).toHaveLength(4), 20_000)
  await eventually(house.phones.views, ([view]) => expect(view?.settings).toMatchObject({ pingEveryS: 600 }), 20_000) // prettier-ignore
  await house.send(numbersFrom(0, 2))
  await deliveredAll(house, 2)
  await house.phones.receiveSms(house.phones.phone(0), { from: '+4915550007777', text: 'Hi', receivedAtMs: Date.now() }) // prettier-ignore
  const inbound = () => house.history('&direction=inbound')
  await eventually(inbound, (messages) => expect(messages).toHaveLength(1), 10_000)
  await eventually(house.devices, ([device]) => expect(device?.reasons).toEqual(['clock_skew']), 10_000)
}, 90_000)

test('check 2: a phone that comes from another server registers by itself', async () => {
  const house = await openPhoneHouse({ foreignToken: true })
  const statuses = house.phones.all.requests('PATCH', '/device').map(({ status }) => status)
  expect(statuses).toContain(401)
  expect(house.phones.all.requests('POST', '/device').map(({ status }) => status)).toEqual([201])
  await house.send(numbersFrom(0, 1))
  await deliveredAll(house, 1)
}, 60_000)

test('a phone on Google push is degraded and says so; it sends when it polls', async () => {
  const house = await openPhoneHouse({ channel: 'push', timeScale: 2_000, awaitOnline: false })
  await eventually(
    house.devices,
    ([device]) => expect(device).toMatchObject({ status: 'degraded', reasons: ['push_only'], link: 'push' }),
    20_000,
  )
  await house.send(numbersFrom(0, 1))
  await deliveredAll(house, 1)
}, 60_000)

test('what a phone receives while its device is disabled is stored, and holds up nothing', async () => {
  const house = await openPhoneHouse()
  await eventually(house.phones.views, ([view]) => expect(view?.webhooks).toHaveLength(4), 20_000)
  const [device] = await house.devices()
  await cliJson(['device', 'set', device?.id ?? '', '--disable'], house.server.dataFolder)
  await eventually(house.devices, ([shown]) => expect(shown?.status).toBe('disabled'), 20_000)
  // It can still be told what to let go of.
  expect((await house.phones.views())[0]?.openStreams).toBe(1)
  await house.phones.receiveSms(house.phones.phone(0), { from: '+4915550007777', text: 'STOP', receivedAtMs: Date.now() }) // prettier-ignore
  await eventually(
    () => house.history('&direction=inbound'),
    (messages) => expect(messages).toHaveLength(1),
    10_000,
  )
  expect(house.phones.all.requests('POST', '/hooks/').map(({ status }) => status)).not.toContain(500)
}, 60_000)

test('check 27: after its device was removed a phone gets 401 everywhere', async () => {
  const house = await openPhoneHouse()
  const [device] = await house.devices()
  await cliJson(['device', 'remove', device!.id], house.server.dataFolder)
  const phone = house.phones.phone(0)
  const statusOf = async (method: 'GET' | 'PATCH', path: string): Promise<number> =>
    (await phone.call(method, path, method === 'PATCH' ? {} : undefined)).status
  await eventually(() => statusOf('GET', '/message'), (status) => expect(status).toBe(401)) // prettier-ignore
  for (const path of ['/settings', '/webhooks', '/events', '/device'])
    expect(await statusOf('GET', path), path).toBe(401)
  for (const path of ['/device', '/message']) expect(await statusOf('PATCH', path), path).toBe(401)
  // The stream that was open is over: nobody is told anything any more.
  await eventually(house.phones.views, ([view]) => expect(view?.openStreams).toBe(0), 10_000)
}, 60_000)

test('a server with phones connected stops in good order, and finds them again when it is back', async () => {
  const house = await openPhoneHouse({ ownProcess: true, count: 3, timeScale: 100 })
  const startedMs = performance.now()
  expect(await house.server.process.stop()).toMatchObject({ code: 0 })
  expect(performance.now() - startedMs).toBeLessThan(5_000)
  expect(house.server.process.output()).not.toContain('"level":"error"')
  await eventually(house.phones.views, (views) => expect(views.map(({ openStreams }) => openStreams)).toEqual([0, 0, 0])) // prettier-ignore
  await house.killAndRestart()
  await eventually(house.phones.views, (views) => expect(views.every(({ openStreams }) => openStreams > 0)).toBe(true), 20_000) // prettier-ignore
  const messages = await house.send(numbersFrom(0, 3))
  await deliveredAll(house, messages.length)
}, 60_000)
