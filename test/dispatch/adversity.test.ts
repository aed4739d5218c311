import { afterEach, expect, test } from 'vitest'
import type { ConnectorKind, Submission, Link, Outcome } from '../../src/connectors/connector.ts'
import { simulatorKind } from '../../src/connectors/simulator/simulator.ts'
import { openMessagesFixture, type MessagesFixture } from '../messages-fixture.ts'

let house: MessagesFixture
afterEach(() => house.close())

/** The simulator with another hand on its submit. */
function kindWith(
  window: number,
  submit: (submission: Submission, link: Link) => Promise<Outcome>,
): ConnectorKind {
  return {
    ...simulatorKind,
    createLink(setup, tools, events) {
      const link = simulatorKind.createLink(setup, tools, events)
      return Object.create(link, {
        window: { value: window },
        submit: { value: (submission: Submission) => submit(submission, link) },
        health: { value: () => link.health() },
        start: { value: () => link.start() },
        stop: { value: () => link.stop() },
        applySettings: { value: () => false },
        resume: { value: undefined },
      }) as Link
    },
  }
}

/** Lets time pass until nothing is under way; while the database writes it stands still, so that no slow one takes hours of it. */
async function drained(): Promise<void> {
  const drain = { done: false }
  const draining = house.dispatcher.drain().finally(() => (drain.done = true))
  while (!drain.done) {
    await house.clock.advance(250)
    await house.storage.writer.drain()
  }
  await draining
}

const accepted = (networkIds: string[]): Outcome => ({ kind: 'accepted', networkIds, receiptExpected: true })

test('an account with a long queue lets another have its turn on a device that takes one at a time', async () => {
  const order: string[] = []
  house = await openMessagesFixture(
    kindWith(1, async ({ text }) => {
      order.push(text)
      return accepted([`n${order.length}`])
    }),
  )
  await house.addAccount('acc_a', 100)
  await house.addAccount('acc_b', 100)
  for (let i = 0; i < 20; i++) await house.send({ text: 'A' })
  for (let i = 0; i < 3; i++) await house.send({ accountId: 'acc_b', text: 'B' })
  await house.addDevice('dev_s')
  await house.dispatcher.drain()
  expect(order).toHaveLength(23)
  expect(order.slice(0, 7).filter((name) => name === 'B')).toHaveLength(3)
})

test('an outcome that makes no sense becomes unknown, and keeps nobody else waiting', async () => {
  house = await openMessagesFixture(
    kindWith(10, async ({ text, attemptId }) =>
      text === 'odd' ? ({ kind: 'accepted', receiptExpected: true } as never) : accepted([attemptId]),
    ),
  )
  await house.addAccount('acc_a', 10)
  await house.send({ text: 'fine' })
  await house.send({ text: 'odd' })
  await house.send({ text: 'fine too' })
  await house.addDevice('dev_s')
  await drained()
  expect((await house.statuses()).toSorted()).toEqual(['sent', 'sent', 'unconfirmed'])
})

test('an outcome that makes no sense frees its room on the device, whatever it is instead', async () => {
  const nonsense: unknown[] = [
    undefined,
    null,
    'accepted',
    {},
    { kind: 'fine' },
    { kind: 'accepted', receiptExpected: true },
    { kind: 'accepted', networkIds: [7], receiptExpected: true },
    { kind: 'refused', lasts: 'long', code: 'device_error', networkCode: null },
    {
      kind: 'partial',
      networkIds: ['n'],
      partsTaken: 1.5,
      receiptExpected: true,
      code: 'x',
      networkCode: null,
    },
    { kind: 'unknown', networkIds: [] },
  ]
  house = await openMessagesFixture(
    kindWith(1, async ({ text }) =>
      text === 'fine' ? accepted(['n']) : (nonsense[Number(text)] as Outcome),
    ),
  )
  await house.addAccount('acc_a', 20)
  for (const i of nonsense.keys()) await house.send({ text: String(i) })
  await house.send({ text: 'fine' })
  await house.addDevice('dev_s')
  await drained()
  // After the fifth fault in a row it is given one at a time, behind pauses.
  for (let pauses = 0; pauses < 20 && (await house.statuses()).includes('queued'); pauses++) {
    await house.clock.advance(300_000)
    await house.dispatcher.drain()
  }
  expect(await house.statuses()).toEqual([...nonsense.map(() => 'unconfirmed'), 'sent'])
  expect(house.pool.get('dev_s')?.inFlight).toBe(0)
})

test('an outcome that the database refuses frees its room on the device', async () => {
  house = await openMessagesFixture(
    kindWith(1, async ({ text }) =>
      text === 'odd'
        ? {
            kind: 'partial',
            networkIds: [],
            partsTaken: 1e6,
            receiptExpected: false,
            code: 'x',
            networkCode: null,
          }
        : accepted(['n']),
    ),
  )
  await house.addAccount('acc_a', 20)
  await house.send({ text: 'odd' })
  await house.send({ text: 'fine' })
  await house.addDevice('dev_s')
  await drained()
  expect((await house.statuses())[1]).toBe('sent')
  expect(house.pool.get('dev_s')?.inFlight).toBe(0)
})

test('of messages that get the same network id at once the newest waits under it, and the others no longer', async () => {
  house = await openMessagesFixture(kindWith(10, async () => accepted(['same'])))
  await house.addAccount('acc_a', 10)
  for (let i = 0; i < 3; i++) await house.send()
  await house.addDevice('dev_s')
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['unconfirmed', 'unconfirmed', 'sent'])
  await house.dispatcher.receipt('dev_s', {
    networkId: 'same',
    result: 'delivered',
    code: null,
    networkCode: null,
  })
  expect(await house.statuses()).toEqual(['unconfirmed', 'unconfirmed', 'delivered'])
})

test('a network id that is used again belongs to the newest message; the older one no longer waits', async () => {
  house = await openMessagesFixture(kindWith(10, async () => accepted(['again'])))
  await house.addAccount('acc_a', 10)
  await house.addDevice('dev_s')
  await house.send()
  await house.dispatcher.drain()
  await house.send()
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['unconfirmed', 'sent'])
  await house.dispatcher.receipt('dev_s', {
    networkId: 'again',
    result: 'delivered',
    code: null,
    networkCode: null,
  })
  expect(await house.statuses()).toEqual(['unconfirmed', 'delivered'])
})

test('acceptance without an id is final: no receipt could find its message', async () => {
  house = await openMessagesFixture(kindWith(10, async () => accepted([])))
  await house.addAccount('acc_a', 10)
  await house.addDevice('dev_s')
  await house.send()
  await house.dispatcher.drain()
  const row = await house.storage.read
    .selectFrom('messages')
    .select(['status', 'finalized_at', 'charged'])
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({ status: 'sent', charged: 1 })
  expect(row.finalized_at).not.toBeNull()
})

test('a device that cannot be started keeps no other from working', async () => {
  house = await openMessagesFixture({
    ...simulatorKind,
    createLink(setup, tools, events) {
      if (setup.id === 'dev_a_bad') throw new Error('cannot be made')
      return simulatorKind.createLink(setup, tools, events)
    },
  })
  await house.addAccount('acc_a', 10)
  await house.addDevice('dev_a_bad')
  await house.addDevice('dev_good')
  await house.send()
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sent'])
})

test('a device that could not be started is let go and tried again', async () => {
  let tries = 0
  let stopped = 0
  house = await openMessagesFixture({
    ...simulatorKind,
    createLink(setup, tools, events) {
      const link = simulatorKind.createLink(setup, tools, events)
      return Object.create(link, {
        window: { value: 10 },
        submit: { value: (submission: Submission) => link.submit(submission) },
        health: { value: () => link.health() },
        start: {
          value: async () => {
            await link.start()
            tries += 1
            if (tries < 3) throw new Error('not now')
          },
        },
        stop: {
          value: async () => {
            stopped += 1
            await link.stop()
          },
        },
        resume: { value: undefined },
      }) as Link
    },
  })
  await house.addAccount('acc_a', 10)
  await house.addDevice('dev_s')
  await house.send()
  const lookAfter = async (ms: number) => {
    await house.clock.advance(ms)
    await house.pool.reloadIfChanged()
    return [tries, stopped]
  }
  expect(await lookAfter(29_000)).toEqual([1, 1])
  expect(await lookAfter(2_000)).toEqual([2, 2])
  expect(await lookAfter(27_000)).toEqual([2, 2])
  expect(await lookAfter(5_000)).toEqual([3, 2])
  await house.dispatcher.drain()
  expect([tries, stopped, await house.statuses()]).toEqual([3, 2, ['sent']])
})
