import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { RoutedDevice } from '../../src/dispatch/devices/routed-device.ts'
import { routingFor } from '../../src/dispatch/devices/routing.ts'
import { openMessagesFixture, type MessagesFixture } from '../messages-fixture.ts'
import { pullKind } from '../phones/pull-kind.ts'
import { shortSimulatorKind } from './short-simulator.ts'

let house: MessagesFixture
beforeEach(async () => {
  house = await openMessagesFixture(shortSimulatorKind())
  await house.addAccount('acc_a', 100)
})
afterEach(() => house.close())

const routing = (sender: string | null) => routingFor(house.pool, 'acc_a', 'live', sender)
const pacesOf = (sender: string | null = null) => routing(sender).paces

test('the pace of the own working devices tells how fast messages go, with what is left of their windows', async () => {
  await house.addDevice('dev_one', { accountId: 'acc_a', pace: [30, 1_800] })
  await house.addDevice('dev_two', { accountId: 'acc_a', pace: [10, 60], senders: ['ACME'] })
  await house.addDevice('dev_away', { accountId: 'acc_a', pace: [5, 60], settings: { offline: 'true' } })
  const fresh = { resetsAt: null }
  expect(pacesOf()).toEqual([
    { partsPerWindow: 30, windowSeconds: 1_800, remaining: 30, ...fresh },
    { partsPerWindow: 10, windowSeconds: 60, remaining: 10, ...fresh },
  ])
  expect(pacesOf('ACME')).toEqual([{ partsPerWindow: 10, windowSeconds: 60, remaining: 10, ...fresh }])
  await house.send({ from: 'ACME', parts: 2 })
  await house.dispatcher.drain()
  expect(pacesOf('ACME')).toMatchObject([{ remaining: 8, resetsAt: house.clock.now() + 60_000 }])
})

test('nobody can say how fast messages go without an own working device, or with one that has no pace', async () => {
  expect(pacesOf()).toBeNull()
  await house.addDevice('dev_shared', { pace: [1, 60] })
  expect(pacesOf()).toBeNull()
  await house.addDevice('dev_own', { accountId: 'acc_a', pace: [1, 60] })
  expect(pacesOf()).toHaveLength(1)
  await house.addDevice('dev_fast', { accountId: 'acc_a' })
  expect(pacesOf()).toBeNull()
})

test('what a send may need and expect is judged by the devices that can use its sender, and by no other', async () => {
  await house.addDevice('dev_short', { accountId: 'acc_a', senders: ['Shop'], settings: { offline: 'true' } })
  await house.addDevice('dev_any', { accountId: 'acc_a', senders: ['+4915112345678'], pace: [1, 60] })
  expect(routing('Shop')).toMatchObject({ enabled: true, online: false, maxParts: 3, paces: null })
  expect(routing('+4915112345678')).toMatchObject({ enabled: true, online: true, maxParts: 10 })
  expect(routing(null)).toMatchObject({ enabled: true, online: true, maxParts: 10, simulated: true })
  expect(routing('Nobody')).toMatchObject({ enabled: false, online: false, maxParts: 0, simulated: false })
})

test('a device that may use any sender stands for every one', async () => {
  await house.addDevice('dev_short', { accountId: 'acc_a', senders: ['Shop'] })
  await house.addDevice('dev_shared', { senders: ['*'] })
  expect(routing('Shop')).toMatchObject({ enabled: true, maxParts: 10 })
  expect(routing('Nobody')).toMatchObject({ enabled: true, maxParts: 10 })
})

test('a phone that nothing wakes takes 15 minutes to ask, unless another device is woken', async () => {
  const links = new Map([
    ['dev_push', 'push'],
    ['dev_poll', 'poll'],
  ] as const)
  const phones = await openMessagesFixture(pullKind([], [], 20, undefined, new Set(), links))
  onTestFinished(() => phones.close())
  await phones.addAccount('acc_a', 100)
  const found = () => routingFor(phones.pool, 'acc_a', 'live', null)
  expect(found().pickUpSeconds).toBe(0)
  await phones.addDevice('dev_push', { accountId: 'acc_a', pace: [30, 1_800] })
  await phones.addDevice('dev_poll')
  expect(found()).toMatchObject({ pickUpSeconds: 900, paces: [{ remaining: 30, pickUpSeconds: 900 }] })
  await phones.addDevice('dev_stream')
  expect(found()).toMatchObject({ pickUpSeconds: 0, paces: [{ pickUpSeconds: 900 }] })
  const heard = { deviceId: 'dev_push', status: 'online', link: 'stream' } as const
  phones.pool.remoteDeviceReports([{ ...heard, reportedAt: phones.clock.now() }])
  expect(found().paces?.[0]?.pickUpSeconds, 'its stream is on another node').toBeUndefined()
})

test('a phone stands for its numbers and for no name, whatever its senders say: there is no sender available', async () => {
  const phones = await openMessagesFixture(pullKind())
  onTestFinished(() => phones.close())
  await phones.addAccount('acc_a', 100)
  await phones.addDevice('dev_p', { accountId: 'acc_a', senders: ['*', 'ACME', '+4915112345678'] })
  const isEnabled = (sender: string | null) => routingFor(phones.pool, 'acc_a', 'live', sender).enabled
  expect(['ACME', '12345', '+4915199999999'].map(isEnabled)).toEqual([false, false, false])
  expect([null, '+4915112345678'].map(isEnabled)).toEqual([true, true])
})

test('for nothing goes what an own device can send for real: no simulator, and no link that only receives', () => {
  const can = { deliveryReports: true, maxParts: 10, alphanumericSender: true, encodingChoice: true }
  const device = (kind: string, accountId: string | null, more: { receivesOnly?: true } = {}): RoutedDevice => ({
    facts: { id: 'dev_1', accountId, mode: 'live', kind, name: 'd', senders: new Set(), country: null, pace: null, isDraining: false },
    capabilities: { ...can, ...more }, isWorking: true, throughput: null, link: 'session',
  }) // prettier-ignore
  const isFree = (...devices: RoutedDevice[]) =>
    routingFor({ servingAccount: () => devices }, 'acc_a', 'live', null, false, 'own').enabled
  const others = [
    device('smpp', null),
    device('simulator', 'acc_a'),
    device('smpp', 'acc_a', { receivesOnly: true }),
  ]
  expect([isFree(...others), isFree(...others, device('smpp', 'acc_a'))]).toEqual([false, true])
})
