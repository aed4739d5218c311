import { expect, test } from 'vitest'
import type { Inbound, Receipt } from '../../src/connectors/connector.ts'
import { createIncoming } from '../../src/connectors/smpp/incoming.ts'
import type { MessageFields } from '../../src/connectors/smpp/pdu.ts'
import { delivery } from './session-fixture.ts'
import type { Delivery } from '../../src/connectors/smpp/deliveries.ts'

const minuteMs = 60_000
const startMs = Date.parse('2026-11-21T09:39:58.000Z')

/** What comes in over a link, at a time that the test sets. */
function openIncoming() {
  const heard = { inbound: [] as Inbound[], receipts: [] as Receipt[], nowMs: startMs }
  const take = createIncoming({
    events: {
      inbound: async (inbound) => void heard.inbound.push(inbound),
      receipt: async (receipt) => void heard.receipts.push(receipt),
    },
    tools: { now: () => heard.nowMs },
    ids: 'auto',
    packing: 'unpacked',
    alphabet: 'gsm7',
    isKnownId: () => false,
  })
  const say = (changes: Partial<MessageFields> = {}) => take(delivery(1, changes) as Delivery)
  return { heard, say, prints: () => heard.inbound.map(({ fingerprint }) => fingerprint) }
}

test('a repeat within ten minutes is known as one, whatever the clock shows, and a later one is a message of its own', async () => {
  const { heard, say, prints } = openIncoming()
  await say()
  heard.nowMs += 5_000
  await say()
  heard.nowMs = startMs + 10 * minuteMs - 1
  await say()
  heard.nowMs = startMs + 10 * minuteMs
  await say()
  const [first, second, third, fourth] = prints()
  expect([second, third]).toEqual([first, first])
  expect(fourth).not.toBe(first)
})

test('a repeat is known after a restart within the same ten minutes, and other octets never are', async () => {
  const before = openIncoming()
  await before.say()
  const after = openIncoming()
  after.heard.nowMs += 1_000
  await after.say()
  await after.say({ shortMessage: Buffer.from('hello!') })
  expect(after.prints()[0]).toBe(before.prints()[0])
  expect(after.prints()[1]).not.toBe(before.prints()[0])
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
    say({ esmClass: 4, shortMessage: Buffer.alloc(0), tlvs: [{ tag: 0x0424, value: Buffer.from(`id:${id} stat:UNDELIV err:${err}`) }] }) // prettier-ignore
  await receipt('a'.repeat(60_000), '1')
  expect([heard.receipts, heard.inbound]).toEqual([[], []])
  await receipt('7', 'e'.repeat(60_000))
  expect(heard.receipts).toMatchObject([{ networkId: '7', networkCode: 'e'.repeat(32) }])
})
