import { expect, test } from 'vitest'
import type { LinkCounters } from '../../src/connectors/connector-tools.ts'
import type { IncomingPdu } from '../../src/smpp/session/deliveries.ts'
import { tlvTags } from '../../src/smpp/codec/pdu.ts'
import { createUnparsed } from '../../src/connectors/smpp/receive/unparsed.ts'
import { createMetrics } from '../../src/process/metrics.ts'
import { delivery } from './session-fixture.ts'

function open() {
  const metrics = createMetrics()
  const lines: [level: string, detail: Record<string, unknown> | undefined][] = []
  const unparsed = createUnparsed({
    counters: metrics.linkOf('dev_1'),
    log: (level, _words, detail) => void lines.push([level, detail]),
  })
  const counted = async (what: string): Promise<number> =>
    Number(
      new RegExp(`onesixty_link_unread_total\\{.*what="${what}"\\} (\\d+)`).exec(await metrics.text())?.[1] ??
        0,
    )
  return { unparsed, lines, counted }
}
const said = (text: string) => delivery(1, { esmClass: 4, shortMessage: Buffer.from(text) }) as IncomingPdu

test('each word that nobody knows is in the log once, and every receipt that has one is counted', async () => {
  const { unparsed, lines, counted } = open()
  for (const word of ['BARRED', 'BARRED', 'NOCRED']) unparsed.word(word, 'undelivered')
  expect(lines).toEqual([
    ['warn', { word: 'BARRED' }],
    ['warn', { word: 'NOCRED' }],
  ])
  expect(await counted('word')).toBe(3)
})

test('of a carrier that makes up its words a hundred are remembered, the latest', () => {
  const { unparsed, lines } = open()
  const words = Array.from({ length: 100 }, (_, i) => `WORD-${i}`)
  for (const word of [...words, ...words]) unparsed.word(word, 'undelivered')
  expect(lines).toHaveLength(100)
  for (const word of ['ANOTHER', 'WORD-99', 'WORD-0']) unparsed.word(word, 'undelivered')
  expect(lines.slice(100)).toEqual([
    ['warn', { word: 'ANOTHER' }],
    ['warn', { word: 'WORD-0' }],
  ])
})

test('receipts that cannot be read are counted, and in the log once, without their text', async () => {
  const { unparsed, lines, counted } = open()
  for (const text of ['Dear Jane', 'Dear John']) unparsed.receipt(said(text))
  expect(lines).toMatchObject([['warn', { command: 'deliver_sm', octets: 9 }]])
  expect(JSON.stringify(lines)).not.toContain('Jane')
  expect(await counted('receipt')).toBe(2)
})

test('the rest of a PDU that cannot be read is counted, and in the log once', async () => {
  const { unparsed, lines, counted } = open()
  for (let i = 0; i < 2; i++) unparsed.odd({ ...said('Hi'), rest: 'a TLV is cut' })
  expect(lines).toMatchObject([['warn', { rest: 'a TLV is cut' }]])
  expect(await counted('rest')).toBe(2)
})

test('PDUs that cannot be read are counted, and in the log once', async () => {
  const { unparsed, lines, counted } = open()
  const cut = {
    command: 'malformed',
    status: 0,
    sequence: 1,
    commandId: 5,
    claimed: 'deliver_sm',
    fault: 'it is cut',
  } as const
  for (let i = 0; i < 2; i++) unparsed.odd(cut)
  expect(lines).toMatchObject([['warn', { claimed: 'deliver_sm', fault: 'it is cut' }]])
  expect(await counted('pdu')).toBe(2)
})

test('what could not be read is told by its form: words of carriers and keys of receipts, and no text or number of anybody', () => {
  const forms: [kind: string, form: string][] = []
  const counters: LinkCounters = {
    answered: () => undefined,
    sessionLost: () => undefined,
    unparsed: (kind, form) => void forms.push([kind, form]),
  }
  const unparsed = createUnparsed({ counters, log: () => undefined })
  for (const word of ['barred', '12', 'Jane Doe', '4915112345678']) unparsed.word(word, 'open')
  unparsed.receipt(said('ID:ab12-9 Submit date:2611260405 for +4915112345678 text:Dear Jane'))
  const payload = { tag: tlvTags.message_payload, value: Buffer.from('00,2611260405,Ab-7') }
  unparsed.receipt(
    delivery(1, { esmClass: 0, shortMessage: Buffer.alloc(0), tlvs: [payload] }) as IncomingPdu,
  )
  const arabic = Buffer.from('مرحبا', 'utf16le').swap16()
  for (const dataCoding of [8, 0])
    unparsed.receipt(delivery(1, { esmClass: 4, dataCoding, shortMessage: arabic }) as IncomingPdu)
  unparsed.receipt(said('Привет, +'))
  expect(forms).toEqual([
    ['word', 'BARRED'],
    ['word', '12'],
    ['word', 'a a'],
    ['word', '0'],
    ['receipt', 'esm_class 4, id:a0-0 submit date:0 a +0 text:a a'],
    ['receipt', 'esm_class 0, TLVs 0424, 0,0,a-0'],
    ['receipt', 'esm_class 4, 10 octets'],
    ['receipt', 'esm_class 4, 10 octets'],
    ['receipt', 'esm_class 4, a, +'],
  ])
})

test('what nobody asked for is told to whoever looks closely', () => {
  const { unparsed, lines } = open()
  unparsed.odd({ command: 'enquire_link_resp', status: 0, sequence: 1, body: null })
  expect(lines).toMatchObject([['debug', { command: 'enquire_link_resp' }]])
})
