import { expect, test } from 'vitest'
import type { Inbound } from '../../src/connectors/connector.ts'
import type { AckState, SessionSpan } from '../../src/smpp/session/ack-state.ts'
import { minuteMs, openIncoming, startMs } from './incoming-fixture.ts'

test('what is said again over a session that has our yes is a message of its own, each time', async () => {
  const { heard, say, pass, prints } = openIncoming()
  for (let i = 0; i < 4; i++) (await say()).answered(true, pass(100))
  expect(new Set(prints()).size).toBe(4)
  expect(heard.inbound.every(({ fingerprintGuessed }) => fingerprintGuessed)).toBe(true)
})

test('what waits at the SMSC and comes at once with its like is no repeat: nobody gives an answer up so soon', async () => {
  const { say, pass, prints } = openIncoming()
  await say()
  pass(5_000)
  await say()
  expect(new Set(prints()).size).toBe(2)
})

test.for([
  ['has no answer yet', (): void => undefined],
  ['was put off', (ackState: AckState) => ackState.answered(false, 100)],
  ['had its yes late', (ackState: AckState) => ackState.answered(true, 5_001)],
] as const)('what comes again within ten minutes is a repeat when the first %s', async ([, end]) => {
  const { say, pass, prints } = openIncoming()
  end(await say())
  pass(10 * minuteMs - 1)
  end(await say())
  pass(10 * minuteMs)
  await say()
  const [first, second, third] = prints()
  expect(second).toBe(first)
  expect(third).not.toBe(first)
})

test('what comes again after its session ended is a repeat, unless our yes was there long before', async () => {
  for (const [saidMs, endedMs, isRepeat] of [
    [null, 50, true],
    [100, 40_100, true],
    [100, 40_101, false],
  ] as const) {
    const { say, pass, prints } = openIncoming()
    const session: SessionSpan = { endedMs: null, noticedWithinMs: 40_000, receivedMs: () => Infinity }
    const ackState = await say({}, session)
    if (saidMs !== null) ackState.answered(true, saidMs)
    session.endedMs = endedMs
    pass(minuteMs)
    const again = await say()
    expect(prints()[1] === prints()[0], `${saidMs} ${endedMs}`).toBe(isRepeat)
    // The repeat has our yes now.
    again.answered(true, pass(10))
    await say()
    expect(prints()[2]).not.toBe(prints()[1])
  }
})

test('what comes again over another session is a repeat while the first was not heard since our yes', async () => {
  const { say, pass, prints } = openIncoming()
  let receivedMs = 0
  const first: SessionSpan = { endedMs: null, noticedWithinMs: 40_000, receivedMs: () => receivedMs }
  ;(await say({}, first)).answered(true, 10)
  pass(20_000)
  ;(await say()).answered(true, pass(10))
  expect(prints()[1]).toBe(prints()[0])
  ;(await say({}, first)).answered(true, pass(10))
  receivedMs = pass(20_000)
  await say()
  expect(new Set(prints()).size).toBe(3)
})

test('a piece of a long text that comes again is the same piece, whoever has our yes', async () => {
  const { say, pass, prints } = openIncoming()
  const piece = { esmClass: 0x40, shortMessage: Buffer.from([5, 0, 3, 7, 2, 1, ...Buffer.from('hello')]) }
  ;(await say(piece)).answered(true, pass(10))
  await say(piece)
  expect(new Set(prints()).size).toBe(1)
})

test('a repeat is known after a restart, also where ten minutes have ended meanwhile, and other octets never are', async () => {
  const before = openIncoming()
  await before.say()
  const after = openIncoming()
  after.pass(1_000)
  await after.say()
  await after.say({ shortMessage: Buffer.from('hello!') })
  expect(after.prints()[0]).toBe(before.prints()[0])
  expect(after.prints()[1]).not.toBe(before.prints()[0])

  const later = openIncoming()
  later.pass(10 * minuteMs)
  await later.say()
  await later.say()
  const [first, second] = later.heard.inbound
  expect(first?.fingerprint).not.toBe(before.prints()[0])
  expect(first?.formerFingerprint).toEqual({
    name: before.prints()[0],
    afterMs: startMs,
  })
  // What this process remembers it can tell apart itself.
  expect(second?.formerFingerprint).toBeUndefined()
})

test('a repeat that could not be stored at first is known after a restart all the same, by when it was first heard', async () => {
  const before = openIncoming()
  await before.say()
  const after = openIncoming()
  const firstMs = startMs + after.pass(9 * minuteMs)
  after.heard.canStore = false
  await after.say()
  after.heard.canStore = true
  after.pass(5 * minuteMs)
  await after.say()
  const [first, again] = after.heard.inbound
  expect(again?.fingerprint).toBe(first?.fingerprint)
  expect(again?.formerFingerprint).toEqual({ name: before.prints()[0], afterMs: firstMs - 10 * minuteMs })
})

test.for([
  [1, '4915112345678', { from: '+4915112345678' }],
  [1, '004915112345678', { from: '004915112345678' }],
  [0, '4915112345678', { from: '4915112345678' }],
  [2, '15112345678', { from: '15112345678', fromIs: 'national' }],
  [3, '12345678', { from: '12345678', fromIs: 'other' }],
  [4, '5112345', { from: '5112345', fromIs: 'other' }],
  [5, 'STOP', { from: 'STOP', fromIs: 'other' }],
  [6, '1234', { from: '1234', fromIs: 'other' }],
] as const)('what a sender of type %i is goes along with it', async ([ton, address, told]) => {
  const { heard, say } = openIncoming()
  await say({ source: { ton, npi: 1, address } })
  const [{ from, fromIs } = {} as Inbound] = heard.inbound
  expect({ from, ...(fromIs !== undefined && { fromIs }) }).toEqual(told)
})
