import { afterEach, beforeEach, expect, test } from 'vitest'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import { shortSimulatorKind } from './short-simulator.ts'

/** Devices named `dev_short…` join three parts. */

let house: MessagesFixture
let handed: string[]
beforeEach(async () => {
  handed = []
  house = await openMessagesFixture(shortSimulatorKind((id, parts) => void handed.push(`${id} ${parts}`)))
  await house.addAccount('acc_a', 10_000)
})
afterEach(() => house.close())

test('a message goes to a device that joins its parts, though another has less to do', async () => {
  await house.addDevice('dev_short')
  await house.addDevice('dev_long')
  for (const parts of [1, 4, 3, 10]) await house.send({ parts })
  await house.dispatcher.drain()
  expect(handed.filter((each) => / (4|10)$/.test(each)).toSorted()).toEqual(['dev_long 10', 'dev_long 4'])
  expect(handed).toHaveLength(4)
  expect(await house.statuses()).toEqual(['sent', 'sent', 'sent', 'sent'])
})

test('when no own device joins so many, a shared one carries it, and only it', async () => {
  await house.addDevice('dev_short', { accountId: 'acc_a' })
  await house.addDevice('dev_long')
  for (const parts of [1, 4, 3]) await house.send({ parts })
  await house.dispatcher.drain()
  expect(handed.toSorted()).toEqual(['dev_long 4', 'dev_short 1', 'dev_short 3'])
})

test('it does not wait behind short ones for which the own device has no room', async () => {
  await house.addDevice('dev_short', { accountId: 'acc_a', pace: [1, 3_600] })
  await house.addDevice('dev_long')
  await house.send({ to: Array.from({ length: 30 }, (_, i) => `+49151123456${10 + i}`) })
  await house.send({ parts: 4 })
  await house.dispatcher.drain()
  expect(handed.toSorted()).toEqual(['dev_long 4', 'dev_short 1'])
})

test('it waits for the device that joins it, and is never handed to one that does not', async () => {
  await house.addDevice('dev_short')
  await house.send({ parts: 4 })
  await house.dispatcher.drain()
  expect(handed).toEqual([])
  expect(await house.statuses()).toEqual(['queued'])
  await house.addDevice('dev_long')
  await house.dispatcher.drain()
  expect(handed).toEqual(['dev_long 4'])
})

test('a thousand of both kinds get through devices of both kinds, each once', async () => {
  await house.addDevice('dev_short')
  await house.addDevice('dev_long')
  const numbers = (n: number) => Array.from({ length: 100 }, (_, i) => `+4915112${n}${100 + i}`)
  for (let n = 10; n < 20; n += 1) await house.send({ to: numbers(n), parts: n % 2 === 0 ? 1 : 4 })
  await house.dispatcher.drain()
  expect(handed).toHaveLength(1_000)
  expect(handed).not.toContain('dev_short 4')
  expect(handed.filter((each) => each === 'dev_long 4')).toHaveLength(500)
})
