import { expect, test } from 'vitest'
import type { Inbound, Receipt } from '../../src/connectors/connector.ts'
import { createIncoming } from '../../src/connectors/smpp/incoming.ts'
import type { MessageFields } from '../../src/connectors/smpp/pdu.ts'
import { delivery } from './session-fixture.ts'
import type { Delivery } from '../../src/connectors/smpp/deliveries.ts'
import { DeliveryFate, type SessionSpan } from '../../src/connectors/smpp/delivery-fate.ts'

const minuteMs = 60_000
const startMs = Date.parse('2026-11-21T09:39:58.000Z')

/** What comes in over a link, at a time that the test sets. */
function openIncoming(receiptsPer: 'part' | 'message' = 'part') {
  const heard = {
    inbound: [] as Inbound[],
    receipts: [] as Receipt[],
    unread: [] as unknown[],
    known: new Set<string>(),
    waitFor: async (_ids: readonly string[], _numbers: readonly string[]): Promise<void> => undefined,
    nowMs: startMs,
    canStore: true,
  }
  const take = createIncoming({
    events: {
      inbound: async (inbound) => {
        heard.inbound.push(inbound)
        if (!heard.canStore) throw new Error('The store takes nothing just now.')
      },
      receipt: async (receipt) => void heard.receipts.push(receipt),
    },
    tools: { now: () => heard.nowMs },
    unread: {
      word: (word, meaning) => void heard.unread.push([word, meaning]),
      receipt: ({ body }) => void heard.unread.push(body.esmClass),
      odd: () => undefined,
    },
    ids: 'auto',
    receiptWords: new Map(),
    receiptsPer,
    packing: 'unpacked',
    alphabet: 'gsm7',
    known: { has: (id) => heard.known.has(id), waitFor: (...asked) => heard.waitFor(...asked) },
  })
  const live: SessionSpan = { endedMs: null, noticedWithinMs: 40_000, heardMs: () => Infinity }
  /** A copy comes in, over a session that lives unless told otherwise; gives what is known of it. */
  const say = async (changes: Partial<MessageFields> = {}, session = live): Promise<DeliveryFate> => {
    const fate = new DeliveryFate(session, heard.nowMs - startMs)
    const stored = take(delivery(1, changes) as Delivery, fate)
    // What cannot be stored is answered with a no.
    await stored.catch(() => fate.answered(false, heard.nowMs - startMs))
    return fate
  }
  const pass = (ms: number): number => (heard.nowMs += ms) - startMs
  return { heard, say, pass, prints: () => heard.inbound.map(({ fingerprint }) => fingerprint) }
}

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
  ['was put off', (fate: DeliveryFate) => fate.answered(false, 100)],
  ['had its yes late', (fate: DeliveryFate) => fate.answered(true, 5_001)],
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
    const session: SessionSpan = { endedMs: null, noticedWithinMs: 40_000, heardMs: () => Infinity }
    const fate = await say({}, session)
    if (saidMs !== null) fate.answered(true, saidMs)
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
  let heardMs = 0
  const first: SessionSpan = { endedMs: null, noticedWithinMs: 40_000, heardMs: () => heardMs }
  ;(await say({}, first)).answered(true, 10)
  pass(20_000)
  ;(await say()).answered(true, pass(10))
  expect(prints()[1]).toBe(prints()[0])
  ;(await say({}, first)).answered(true, pass(10))
  heardMs = pass(20_000)
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

test('a receipt with an id that fills its text is taken and not kept, and its code is cut to what a code can be', async () => {
  const { heard, say } = openIncoming()
  const receipt = (id: string, err: string) =>
    say({
      esmClass: 4,
      shortMessage: Buffer.alloc(0),
      tlvs: [{ tag: 0x0424, value: Buffer.from(`id:${id} stat:UNDELIV err:${err}`) }],
    })
  await receipt('a'.repeat(60_000), '1')
  expect([heard.receipts, heard.inbound]).toEqual([[], []])
  await receipt('7', 'e'.repeat(60_000))
  expect(heard.receipts).toMatchObject([{ networkId: '7', networkCode: 'e'.repeat(32) }])
})

test('a word that nobody knows is told, and is an end only where esm_class tells of one', async () => {
  const { heard, say } = openIncoming()
  heard.known.add('1')
  for (const [esmClass, word] of [
    [0x04, 'BARRED'],
    [0x00, 'NOCRED'],
    [0x20, 'PARKED'],
  ] as const)
    await say({ esmClass, shortMessage: Buffer.from(`id:1 stat:${word}`) })
  expect(heard.receipts.map(({ networkCode }) => networkCode)).toEqual(['BARRED'])
  expect(heard.inbound).toEqual([])
  expect(heard.unread).toEqual([
    ['BARRED', 'undelivered'],
    ['NOCRED', 'open'],
    ['PARKED', 'open'],
  ])
})

test('a receipt that names no message, or says nothing of it, is told of', async () => {
  const { heard, say } = openIncoming()
  for (const text of ['00,2611260405,2611260406', 'id:1 err:000', ''])
    await say({ esmClass: 0x04, shortMessage: Buffer.from(text) })
  expect([heard.receipts, heard.inbound, heard.unread]).toEqual([[], [], [4, 4, 4]])
})

test('STOP under a type that handsets have for acknowledgements is stored', async () => {
  const { heard, say } = openIncoming()
  await say({ esmClass: 0x10, shortMessage: Buffer.from('STOP') })
  expect(heard.inbound).toMatchObject([{ text: 'STOP' }])
})

test('a receipt covers the parts that it counts, and the whole message where receipts are one a message', async () => {
  const text = 'id:7 sub:002 dlvrd:002 stat:DELIVRD err:000 text:'
  for (const [per, covers] of [
    ['part', 2],
    ['message', 'all'],
  ] as const) {
    const { heard, say } = openIncoming(per)
    await say({ esmClass: 0x04, shortMessage: Buffer.from(text) })
    expect(heard.receipts).toMatchObject([{ covers }])
  }
})

const early =
  'id:77 sub:001 dlvrd:001 submit date:2611260405 done date:2611260406 stat:DELIVRD err:000 text:Hi'
const source = { ton: 1, npi: 1, address: '4915112345678' }
const destination = { ton: 1, npi: 1, address: '4930123456' }

test('a receipt that does not say so and comes before the answer of its submit is one once that is there', async () => {
  const { heard, say } = openIncoming()
  const waited: unknown[] = []
  heard.waitFor = async (ids, numbers) => {
    waited.push([ids[0], numbers])
    heard.known.add('77')
  }
  await say({ esmClass: 0, source, destination, shortMessage: Buffer.from(early) })
  expect([heard.receipts.map(({ networkId }) => networkId), heard.inbound]).toEqual([['77'], []])
  expect(waited).toEqual([['77', [source.address, destination.address]]])
})

test('where no id turns up it is a text, and a text that is no whole receipt is never waited for', async () => {
  const { heard, say } = openIncoming()
  let waits = 0
  heard.waitFor = async () => void waits++
  await say({ esmClass: 0, shortMessage: Buffer.from(early) })
  await say({ esmClass: 0, shortMessage: Buffer.from('id:78 stat:DELIVRD') })
  expect(heard.inbound.map(({ text }) => text)).toEqual([early, 'id:78 stat:DELIVRD'])
  expect(waits).toBe(1)
})

test('what cannot be decided yet is neither: it is asked for again', async () => {
  const { heard, say } = openIncoming()
  heard.waitFor = async () => Promise.reject(new Error('The answer to its submit has not come yet.'))
  await say({ esmClass: 0, shortMessage: Buffer.from(early) })
  expect([heard.receipts, heard.inbound]).toEqual([[], []])
})
