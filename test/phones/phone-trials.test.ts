import { expect, test } from 'vitest'
import { goneMs } from '../../src/devices/phones/registered-phones.ts'
import { settleReports } from '../../src/dispatch/phones/phone-reports.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { appWords } from './app-words.ts'
import { liftPace, openDeskHouse, sayAll } from './gateway-fixture.ts'

test('a phone on trial is given one message, and the next once that has ended, until enough of them have', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await liftPace(house)
  await house.send({ to: Array.from({ length: 60 }, (_, n) => `+4915112345${600 + n}`), parts: 2 })
  await house.report(phone, ...(await house.pull(phone)).map(sayAll('failed', appWords.genericFailure)))
  expect(house.pool.get(phone.deviceId)?.health.reasons).toEqual(['repeated_unknown'])
  expect(await house.pull(phone)).toEqual([])
  await house.clock.advance(300_000)
  const [first, ...others] = await house.pull(phone)
  expect(others).toEqual([])
  await house.report(phone, sayAll('pending')(first!))
  house.woken.length = 0
  await house.dispatcher.drain()
  expect(house.woken).toEqual([])
  expect(await house.pull(phone)).toEqual([])
  for (let last = first!, n = 0; n < 20; n++) {
    await house.report(phone, sayAll('sent')(last))
    const page = await house.pull(phone)
    expect(page).toHaveLength(n < 19 ? 1 : 20)
    last = page[0]!
  }
})

test('a phone whose trial ends without an answer has lost one message, and rests again', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await liftPace(house)
  await house.send({ to: Array.from({ length: 60 }, (_, n) => `+4915112345${600 + n}`), parts: 2 })
  await house.report(phone, ...(await house.pull(phone)).map(sayAll('failed', appWords.genericFailure)))
  await house.clock.advance(300_000)
  await house.report(phone, ...(await house.pull(phone)).map(sayAll('failed', appWords.genericFailure)))
  expect(await house.pull(phone)).toEqual([])
  const lost = (await house.statuses()).filter((status) => status === 'unconfirmed')
  expect(lost).toHaveLength(21)
})

test('a late word of another message gives a phone whose trial is under way no room', async () => {
  const house = await openDeskHouse()
  const former = await house.register('1')
  await liftPace(house)
  await house.send({ to: Array.from({ length: 60 }, (_, n) => `+4915112345${600 + n}`), parts: 2 })
  const [late, ...others] = await house.pull(former)
  await house.report(former, ...[late!, ...others].map(sayAll('pending')))
  const lost = [...others, ...(await house.pull(former))]
  await house.clock.advance(goneMs)
  const phone = await house.register('1')
  await house.report(phone, ...lost.map(sayAll('failed', appWords.genericFailure)))
  await house.clock.advance(300_000)
  expect(await house.pull(phone)).toHaveLength(1)
  await house.report(phone, sayAll('sent')(late!))
  expect(house.pool.get(phone.deviceId)?.candidate().free).toBe(0)
})

const hangsOn = ({ attemptId }: { attemptId: string }) =>
  ({ attemptId, state: 'processed', error: null }) as const

/** A phone whose breaker has opened, with a message that hangs on it from before. */
async function openDistrustedHouse() {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await liftPace(house)
  await house.send({ to: Array.from({ length: 60 }, (_, n) => `+4915112345${600 + n}`), parts: 2 })
  const [hanging, ...others] = await house.pull(phone)
  await house.report(phone, hangsOn(hanging!), ...others.map(sayAll('failed', appWords.genericFailure)))
  await house.clock.advance(10_000)
  await house.report(phone, ...(await house.pull(phone)).map(sayAll('failed', appWords.genericFailure)))
  const device = house.pool.get(phone.deviceId)!
  expect(device.candidate().health).toBe('offline')
  return { house, phone, device }
}

test('a message that hung on a phone before it rested does not keep it from its trial', async () => {
  const { house, phone, device } = await openDistrustedHouse()
  await house.clock.advance(300_000)
  for (let n = 0; n < 20; n++) {
    const page = await house.pull(phone)
    expect(page).toHaveLength(1)
    await house.report(phone, ...page.map(sayAll('sent')))
  }
  expect(device.health).toMatchObject({ status: 'online', reasons: [] })
})

test('a phone on which its trial hangs rests again, though it does not ask, and is tried again after that', async () => {
  const { house, phone, device } = await openDistrustedHouse()
  await house.clock.advance(300_000)
  await house.report(phone, ...(await house.pull(phone)).map(hangsOn))
  await house.clock.advance(599_999)
  await house.sweep()
  expect(device.candidate()).toMatchObject({ health: 'degraded', free: 0 })
  await house.clock.advance(1)
  await house.sweep()
  expect(device.candidate()).toMatchObject({ health: 'offline', free: 0 })
  await house.clock.advance(300_000)
  const given = (await house.pull(phone)).filter(({ isAgain }) => !isAgain)
  expect(given).toHaveLength(1)
})

test('a phone on which its trial hangs rests again as soon as it asks', async () => {
  const { house, phone, device } = await openDistrustedHouse()
  await house.clock.advance(300_000)
  await house.report(phone, ...(await house.pull(phone)).map(hangsOn))
  await house.clock.advance(600_000)
  const asked = await house.pull(phone)
  expect(asked.filter(({ isAgain }) => !isAgain)).toEqual([])
  expect(device.health).toMatchObject({ status: 'offline', reasons: ['repeated_unknown'] })
})

test('a phone whose trial has ended in the ears of another node is given the next message, and does not rest', async () => {
  const { house, phone, device } = await openDistrustedHouse()
  await house.clock.advance(300_000)
  const [offer] = await house.pull(phone)
  const times = { dueFromMs: house.clock.now(), judgeFailure: () => ({ kind: 'undelivered' as const, code: 'unknown', networkCode: null }) }
  await house.storage.writer.write(async (tx) => settleReports(tx, await takeChange(tx, house.clock.now()), [{ ...sayAll('sent')(offer!), deviceId: phone.deviceId, phoneId: phone.phoneId }], times))
  expect(device.candidate().free).toBe(0)
  await house.sweep()
  expect(device.candidate().free).toBe(1)
  await house.clock.advance(600_000)
  await house.sweep()
  expect(device.candidate().health).toBe('degraded')
}) // prettier-ignore
