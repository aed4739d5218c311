import { expect, test } from 'vitest'
import { sizeOf } from '../proof-sizes.ts'
import { openVisitWorld, type VisitWorld } from './visit-world.ts'

/**
 * What the phone does is written from the sources of the app (SMSGate 1.68, 0cdc5d8; test/peers/fake-phone/local-server.ts). Each SMS that left is in the log of
 * its radio.
 */
const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `+49151${String(20_000_000 + i)}`)

async function sendTo({ house }: VisitWorld, to: readonly string[]): Promise<void> {
  for (let at = 0; at < to.length; at += 100) await house.send({ to: to.slice(at, at + 100) })
}

async function visitUntil(world: VisitWorld, isDone: (statuses: string[]) => boolean, most: number) {
  for (let n = 0; n < most; n++) {
    await world.visit()
    if (isDone(await world.house.statuses())) return
  }
  throw new Error(`not done after ${most} visits: ${[...new Set(await world.house.statuses())].join()}`)
}
const all = (status: string) => (statuses: string[]) => statuses.every((each) => each === status)

const lostAnswers = sizeOf('LOST_ANSWERS')

test('the answer to each submission is lost: one SMS for each, and the outcome of each is known', async () => {
  const world = await openVisitWorld({ localFault: 'cut-new', localFaultOn: 'POST' })
  const to = numbers(lostAnswers)
  await sendTo(world, to)
  await visitUntil(world, all('delivered'), lostAnswers + 200)
  const radio = world.phones.all.radioLog()
  expect(radio.map((sms) => sms.to).toSorted()).toEqual(to)
  expect(radio.every(({ times }) => times === 1)).toBe(true)
  const lost = world.phones.all.requests('POST').filter(({ error }) => error === 'cut-new')
  expect(lost).toHaveLength(lostAnswers)
}, 300_000)

test('a submission that never arrived is repeated under its ID', async () => {
  const world = await openVisitWorld({ localFault: 'cut-before', localFaultOn: 'POST' })
  await sendTo(world, numbers(3))
  await world.visit()
  await world.visit()
  expect(world.phone.health()).toMatchObject({ status: 'degraded', reasons: ['unreachable'] })
  await world.phones.set({ localFault: 'none' })
  await visitUntil(world, all('delivered'), 20)
  expect(world.phones.all.radioLog().map(({ times }) => times)).toEqual([1, 1, 1])
})

test('cleared data end what was submitted with an unknown outcome, and nothing is sent again', async () => {
  const world = await openVisitWorld({ localFault: 'cut-new', localFaultOn: 'POST', outcome: 'hang' })
  await sendTo(world, numbers(1))
  await world.visit()
  expect(world.phones.all.radioLog()).toHaveLength(1)
  await world.phones.set({ localFault: 'none', outcome: 'delivered' })
  await world.phones.all.clearData()
  await world.visit()
  expect(world.phone.health()).toMatchObject({ status: 'offline', reasons: ['wrong_password'] })
  // Nothing but the password is tried, and seldom.
  expect(await world.visit()).toBe(900_000)
  expect(await world.house.statuses()).toEqual(['sending'])
  await world.phone.stop()
  const { localPassword } = await world.phones.phone(0).view()
  await world.restart(localPassword)
  await sendTo(world, ['+4915130000000'])
  await visitUntil(world, (statuses) => statuses.includes('delivered'), 20)
  expect((await world.house.statuses()).toSorted()).toEqual(['delivered', 'unconfirmed'])
  const radio = world.phones.all.radioLog()
  expect(radio.map(({ to }) => to)).toEqual(['+4915120000000', '+4915130000000'])
})

test('what the phone has acknowledged is never submitted again, even if it has deleted it and nobody remembers', async () => {
  const world = await openVisitWorld({ outcome: 'hang' })
  await sendTo(world, numbers(1))
  await world.visit()
  await world.visit()
  expect(world.phones.all.radioLog()).toHaveLength(1)
  await world.phone.stop()
  await world.phones.all.clearData()
  // Its settings come back from a backup, its messages do not.
  const { localPassword } = await world.phones.phone(0).view()
  const restored = { messages: { limit_period: 'Disabled', processing_order: 'FIFO', log_lifetime_days: 30 } }
  const login = `Basic ${Buffer.from(`sms:${localPassword}`).toString('base64')}`
  expect(await world.ask('PATCH', '/settings', restored, login)).toMatchObject({ status: 200 })
  await world.phones.set({ outcome: 'delivered' })
  await world.restart(localPassword)
  await visitUntil(world, (statuses) => !statuses.includes('sending'), 400)
  expect(world.phones.all.radioLog()).toHaveLength(1)
  expect(await world.house.statuses()).toEqual(['unconfirmed'])
})

test('a visitor whose device was connected to another phone gives nothing to the former one', async () => {
  const world = await openVisitWorld()
  const { connectedTo } = world
  await sendTo(world, numbers(2))
  world.connectedTo = 'another installation'
  await world.visit()
  await world.visit()
  expect(world.phones.all.requests('POST')).toEqual([])
  world.connectedTo = connectedTo
  await visitUntil(world, all('delivered'), 10)
  expect(world.phones.all.radioLog().map(({ times }) => times)).toEqual([1, 1])
})

test('a process that is killed between two calls leaves nothing to be sent twice', async () => {
  const world = await openVisitWorld({ outcome: 'hang' })
  await sendTo(world, numbers(5))
  await world.visit()
  await world.restart()
  await world.visit()
  await world.phones.set({ localFault: 'cut-new', localFaultOn: 'POST', outcome: 'delivered' })
  await sendTo(world, ['+4915130000000'])
  await world.visit()
  await world.restart()
  await visitUntil(world, (statuses) => statuses.includes('delivered'), 20)
  expect(world.phones.all.radioLog()).toHaveLength(6)
})

test('after a pause a visit begins without the password: the address may be that of another device', async () => {
  const world = await openVisitWorld({}, { visit_idle_s: '60' })
  await world.visit()
  const before = world.phones.all.requests('GET').length
  await world.visit()
  const [first, second] = world.phones.all.requests('GET').slice(before)
  expect(first).toMatchObject({ path: '/health' })
  expect(first?.authorization).toBeUndefined()
  expect(second).toMatchObject({ path: '/device' })
})

test('another phone at the address gets no message', async () => {
  const world = await openVisitWorld({ localPassword: 'same' })
  await world.visit()
  await world.phones.all.reinstall()
  await sendTo(world, numbers(1))
  await world.visit()
  expect(world.phone.health()).toMatchObject({ status: 'offline', reasons: ['another_phone'] })
  expect(world.phones.all.requests('POST', '/message')).toEqual([])
})

test('a recall of what the phone never had takes its ID, so that a late submission is refused', async () => {
  const world = await openVisitWorld({ localFault: 'cut-before', localFaultOn: 'POST' })
  await sendTo(world, numbers(1))
  await world.visit()
  const [attempt] = await world.house.storage.read.selectFrom('phone_offers').select('attempt_id').execute()
  const id = attempt?.attempt_id ?? ''
  await world.house.storage.writer.write((tx) =>
    tx.updateTable('phone_offers').set({ recall: 'cancel', recalled_at: world.house.clock.now() }).execute(),
  )
  await world.phones.set({ localFault: 'none' })
  await visitUntil(world, all('canceled'), 5)
  const body = { id, textMessage: { text: 'late' }, phoneNumbers: ['+4915120000000'] }
  expect((await world.ask('POST', '/message', body)).status).toBe(409)
  expect(world.phones.all.radioLog()).toEqual([])
})

test('a failure after the message was sent is undelivered, and stays charged', async () => {
  const world = await openVisitWorld({ outcome: 'undelivered' })
  await sendTo(world, numbers(1))
  await visitUntil(world, all('undelivered'), 20)
  expect(await world.house.messages()).toMatchObject([{ charged: 1 }])
})

test('an app that refuses a message has sent nothing', async () => {
  const world = await openVisitWorld({ clockOffsetMs: 0 })
  await world.visit()
  // Its clock is set: what was valid is over for it.
  await world.phones.set({ clockOffsetMs: world.house.clock.now() - Date.now() + 20 * 86_400_000 })
  await sendTo(world, numbers(1))
  await world.visit()
  await world.visit()
  await visitUntil(world, all('delivered'), 20)
  expect(world.phones.all.radioLog()).toHaveLength(1)
})
