import { expect, test } from 'vitest'
import { Deliveries, type IncomingPdu } from '../../src/smpp/session/deliveries.ts'
import type { AckState } from '../../src/smpp/session/ack-state.ts'
import { commandStatus, tlvTags } from '../../src/smpp/codec/pdu.ts'
import { defaultSessionLimits } from '../../src/smpp/session/session-limits.ts'
import { eventually } from '../eventually.ts'
import { bindSession, delivery, message, roundTrip, silentTo, startSession } from './session-fixture.ts'
import { bytesOf } from './pdu-arbitraries.ts'

const deliveries = (count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, i) => bytesOf(delivery(i + 1))))

test('a message is answered with a yes, an empty message id and its number, once it is stored', async () => {
  const storing = Promise.withResolvers<void>()
  const { smsc, stored } = await bindSession({ store: () => storing.promise })
  smsc.send(delivery(41))
  await roundTrip(smsc)
  expect(smsc.received.map(({ command }) => command)).not.toContain('deliver_sm_resp')
  storing.resolve()
  const answer = await smsc.seen('deliver_sm_resp')
  expect(answer).toEqual({
    command: 'deliver_sm_resp',
    status: 0,
    sequence: 41,
    body: { messageId: '', tlvs: [] },
  })
  expect(stored).toMatchObject([{ body: { shortMessage: Buffer.from('hello') } }])
})

test('data_sm carries messages too', async () => {
  const { smsc, stored } = await bindSession()
  const tlvs = [{ tag: tlvTags.message_payload, value: Buffer.from('hello') }]
  smsc.send({
    command: 'data_sm',
    status: 0,
    sequence: 8,
    body: { ...message, shortMessage: Buffer.alloc(0), tlvs },
  })
  expect(await smsc.seen('data_sm_resp')).toMatchObject({ status: 0, sequence: 8, body: { messageId: '' } })
  expect(stored).toMatchObject([{ command: 'data_sm', body: { tlvs } }])
})

test('while the store is down, the peer is asked to send it again, and the session goes on', async () => {
  let isDown = true
  const { session, smsc, stored } = await bindSession({
    store: () => (isDown ? Promise.reject(new Error('disk full')) : Promise.resolve()),
  })
  smsc.send(delivery(1))
  expect(await smsc.seen('deliver_sm_resp')).toMatchObject({
    status: commandStatus.ESME_RX_T_APPN,
    sequence: 1,
    body: null,
  })
  expect(await session.request('submit_sm', message)).toMatchObject({ kind: 'response', status: 0 })
  isDown = false
  smsc.send(delivery(2))
  expect(await smsc.seen('deliver_sm_resp', 2)).toMatchObject({ status: 0, sequence: 2 })
  expect(stored).toHaveLength(1)
})

test('a store that throws is a store that is down', async () => {
  const { smsc } = await bindSession({
    store: () => {
      throw new Error('a bug')
    },
  })
  smsc.send(delivery(1))
  expect(await smsc.seen('deliver_sm_resp')).toMatchObject({ status: commandStatus.ESME_RX_T_APPN })
})

test('a store that hangs costs its messages a while, each one answer, and is not given ever more', async () => {
  const storing = Promise.withResolvers<void>()
  let calls = 0
  const { session, smsc, clock } = await bindSession({
    store: () => {
      calls++
      return storing.promise
    },
    settings: { deliverTimeoutMs: 3_000, maxUnanswered: 2 },
  })
  smsc.sendBytes(deliveries(5))
  await expect.poll(() => calls).toBe(2)
  await clock.advance(2_999)
  expect(smsc.received.map(({ command }) => command)).not.toContain('deliver_sm_resp')
  await clock.advance(1)
  await smsc.seen('deliver_sm_resp', 5)
  const answers = smsc.received.slice(1)
  expect(new Set(answers.map(({ sequence }) => sequence))).toEqual(new Set([1, 2, 3, 4, 5]))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([commandStatus.ESME_RX_T_APPN]))
  expect(calls).toBe(2)
  storing.resolve()
  await roundTrip(smsc)
  smsc.send(delivery(6))
  expect(await smsc.seen('deliver_sm_resp', 6)).toMatchObject({ sequence: 6, status: 0 })
  expect([calls, session.state]).toEqual([3, 'bound'])
})

test('a message may come again when it had no yes in time, or none that surely came', async () => {
  const fates: AckState[] = []
  const { session, smsc, clock } = await bindSession({
    store: async (_, ackState) => void fates.push(ackState),
    settings: { enquireLinkMs: 30_000, enquireLinkTimeoutMs: 10_000 },
  })
  const mayComeAgain = (): boolean[] => fates.map((ackState) => ackState.mayComeAgain(clock.monotonicMs()))
  smsc.send(delivery(1))
  await smsc.seen('deliver_sm_resp', 1)
  await clock.advance(20_000)
  smsc.send(delivery(2))
  await smsc.seen('deliver_sm_resp', 2)
  expect(mayComeAgain()).toEqual([false, false])
  await clock.advance(20_001)
  session.abort('the peer is gone')
  expect(mayComeAgain()).toEqual([false, true])
})

test('what became of a message is known without its session, once that is over', async () => {
  let asked = 0
  const fates: AckState[] = []
  const opened = new Deliveries({
    alarm: { by: () => undefined },
    limits: defaultSessionLimits,
    monotonicMs: () => 10_000,
    receivedMs: () => {
      asked += 1
      return 20_000
    },
    store: async (_, ackState) => void fates.push(ackState),
    answer: () => undefined,
    answered: () => undefined,
  })
  opened.take(delivery(1) as IncomingPdu)
  await eventually(
    () => opened.size,
    (open) => expect(open).toBe(0),
  )
  const mayComeAgain = () => [false, true].map((isElsewhere) => fates[0]?.mayComeAgain(90_000, isElsewhere))
  opened.close()
  const known = mayComeAgain()
  const before = asked
  expect([mayComeAgain(), asked]).toEqual([known, before])
})

test('a message may come again over another session until its own is heard behind our yes, and not over its own', async () => {
  const fates: AckState[] = []
  const { smsc, clock } = await bindSession({ store: async (_, ackState) => void fates.push(ackState) })
  const mayComeAgain = (): boolean[] =>
    [true, false].map((isElsewhere) => fates[0]?.mayComeAgain(clock.monotonicMs(), isElsewhere) ?? true)
  smsc.send(delivery(1))
  await smsc.seen('deliver_sm_resp')
  await clock.advance(10_000)
  expect(mayComeAgain()).toEqual([true, false])
  await roundTrip(smsc)
  expect(mayComeAgain()).toEqual([false, false])
})

test('only so many messages are unanswered at once: the others are not read, and nothing is lost', async () => {
  const storing: (() => void)[] = []
  const { smsc, stored } = await bindSession({
    store: () => new Promise((resolve) => void storing.push(resolve)),
    settings: { maxUnanswered: 10 },
  })
  // 20,000 of them are more than one chunk.
  smsc.sendBytes(deliveries(20_000))
  await expect.poll(() => storing.length).toBe(10)
  let most = 0
  while (stored.length < 20_000) {
    most = Math.max(most, storing.length)
    for (const resolve of storing.splice(0)) resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const last = await smsc.seen('deliver_sm_resp', 20_000)
  expect([most, last.sequence]).toEqual([10, 20_000])
  const order = stored.map(({ sequence }) => sequence)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

test('no answer is late that we did not look at', async () => {
  const storing = Promise.withResolvers<void>()
  let calls = 0
  const { session, smsc, clock } = await bindSession({
    answering: silentTo('submit_sm'),
    store: () => {
      calls++
      return storing.promise
    },
    settings: { maxUnanswered: 1, responseTimeoutMs: 5_000, deliverTimeoutMs: 60_000, enquireLinkMs: 1_000 },
  })
  const request = session.request('submit_sm', message)
  const { sequence } = await smsc.seen('submit_sm')
  smsc.send(delivery(1), delivery(2))
  smsc.send({ command: 'submit_sm_resp', status: 0, sequence, body: null })
  await expect.poll(() => calls).toBe(1)
  await clock.advance(14_000)
  expect(session.state).toBe('bound')
  storing.resolve()
  expect(await request).toMatchObject({ kind: 'response', status: 0 })
})

test('the time of an answer stands still while we do not read, and goes on afterwards', async () => {
  const storing = Promise.withResolvers<void>()
  let calls = 0
  const { session, smsc, clock } = await bindSession({
    answering: silentTo('submit_sm'),
    store: () => {
      calls++
      return storing.promise
    },
    settings: { maxUnanswered: 1, responseTimeoutMs: 5_000, deliverTimeoutMs: 60_000 },
  })
  const requests = [session.request('submit_sm', message), session.request('submit_sm', message)]
  const { sequence } = await smsc.seen('submit_sm', 2)
  smsc.send(delivery(1), delivery(2))
  await expect.poll(() => calls).toBe(1)
  await clock.advance(14_000)
  storing.resolve()
  await roundTrip(smsc)
  await clock.advance(4_999)
  smsc.send({ command: 'submit_sm_resp', status: 0, sequence, body: null })
  expect(await requests[1]).toMatchObject({ kind: 'response', tookMs: 18_999 })
  await clock.advance(1)
  expect(await requests[0]).toMatchObject({ kind: 'unknown', reason: 'timeout' })
})

test('a message that comes before the bind is answered is taken like any other', async () => {
  const { session, smsc, stored } = await startSession({
    answering: ({ command, sequence }) =>
      command === 'bind_transceiver'
        ? [delivery(9), { command: 'bind_transceiver_resp', status: 0, sequence, body: null }, delivery(10)]
        : [],
  })
  await session.open()
  await smsc.seen('deliver_sm_resp', 2)
  expect(smsc.received.slice(1).map(({ sequence, status }) => [sequence, status])).toEqual([
    [9, 0],
    [10, 0],
  ])
  expect(stored.map(({ sequence }) => sequence)).toEqual([9, 10])
})

test('more of them than a session takes at once do not keep the answer to the bind out', async () => {
  const most = defaultSessionLimits.maxUnanswered
  const { session, smsc, stored } = await startSession({
    answering: ({ command, sequence }) =>
      command === 'bind_transceiver'
        ? [
            ...Array.from({ length: most + 5 }, (_, i) => delivery(i + 1)),
            { command: 'bind_transceiver_resp', status: 0, sequence, body: null },
          ]
        : [],
  })
  expect(await session.open()).toMatchObject({ kind: 'bound' })
  await smsc.seen('deliver_sm_resp', most + 5)
  expect(stored).toHaveLength(most + 5)
})

test('one that comes before a bind is refused stays with the SMSC while it is not stored', async () => {
  const storing = Promise.withResolvers<void>()
  const { session, smsc } = await startSession({
    store: () => storing.promise,
    answering: ({ command, sequence }) =>
      command === 'bind_transceiver'
        ? [
            delivery(9),
            { command: 'bind_transceiver_resp', status: commandStatus.ESME_RBINDFAIL, sequence, body: null },
          ]
        : [],
  })
  expect(await session.open()).toMatchObject({ kind: 'failed' })
  storing.resolve()
  await session.ended
  expect(smsc.received.map(({ command }) => command)).not.toContain('deliver_sm_resp')
})

test('unbind waits for the store, so that what it has is answered', async () => {
  const storing = Promise.withResolvers<void>()
  const { session, smsc } = await bindSession({ store: () => storing.promise })
  smsc.send(delivery(1))
  await roundTrip(smsc)
  const ended = session.unbind()
  storing.resolve()
  await ended
  const last = smsc.received.slice(-2).map(({ command }) => command)
  expect(last).toEqual(['deliver_sm_resp', 'unbind'])
})
