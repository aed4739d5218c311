import { expect, test } from 'vitest'
import type { Inbound, Receipt } from '../../src/connectors/connector.ts'
import type { IncomingPdu } from '../../src/smpp/session/deliveries.ts'
import { AckState } from '../../src/smpp/session/ack-state.ts'
import { createIncoming } from '../../src/connectors/smpp/receive/incoming.ts'
import { type IdMode, submittedId } from '../../src/smpp/values/message-id.ts'
import { type MessageFields, tlvTags } from '../../src/smpp/codec/pdu.ts'
import { readPattern } from '../../src/smpp/values/receipt-pattern.ts'
import { readPieces } from '../../src/sms/coded-text.ts'
import { delivery } from './session-fixture.ts'

/**
 * What users of other clients of SMPP have reported of their SMSCs, tried on this one. The forms are those of the reports, the numbers and ids are
 * invented. docs/reliability.md lists them.
 */

interface Heard {
  receipts: Receipt[]
  inbound: Inbound[]
  unread: string[]
}

/** Brings it over a link that gave its message the id `answered`. */
async function bring(
  fields: Partial<MessageFields>,
  { answered = '', pattern = '', ids = 'auto' }: { answered?: string; pattern?: string; ids?: IdMode } = {},
): Promise<Heard & { known: string }> {
  const heard: Heard = { receipts: [], inbound: [], unread: [] }
  const known = submittedId(answered, ids)
  const take = createIncoming({
    events: {
      inbound: async (inbound) => void heard.inbound.push(inbound),
      receipt: async (receipt) => void heard.receipts.push(receipt),
    },
    tools: { now: () => 0 },
    unparsed: {
      word: (word) => void heard.unread.push(word),
      receipt: () => void heard.unread.push('receipt'),
      odd: () => undefined,
    },
    ids,
    receipts: { words: new Map([['OK', 'delivered']]), pattern: readPattern(pattern) ?? null },
    receiptsPer: 'part',
    packing: 'unpacked',
    alphabet: 'gsm7',
    known: { has: (id) => id === known, waitFor: async () => undefined },
  })
  const session = { endedMs: null, noticedWithinMs: 40_000, receivedMs: () => Infinity }
  await take(delivery(1, { esmClass: 4, ...fields }) as IncomingPdu, new AckState(session, 0))
  return { ...heard, known }
}

const form = (id: string, rest: string): Partial<MessageFields> => ({
  shortMessage: Buffer.from(`id:${id} ${rest}`, 'latin1'),
})
const rest = 'sub:001 dlvrd:001 submit date:2611260405 done date:2611260406 stat:DELIVRD err:000 text:'
const header = Buffer.from('050003840101', 'hex')

test.for<[report: string, answered: string, fields: Partial<MessageFields>, ids?: IdMode]>([
  ['jookies/jasmin#521: the receipt writes in capitals what the answer wrote small', 'b1c2d3e4-570a-45e8-9206-e8db4d342e5b', form('B1C2D3E4-570A-45E8-9206-E8DB4D342E5B', rest)],
  ['jookies/jasmin#916: an id of groups of letters and digits', '1101C1-C9D03D-F000', form('1101c1-c9d03d-f000', rest)],
  ['jookies/jasmin#1129: zeros in front come and go', '00B7C1A2', form('B7C1A2', rest)],
  ['telenordigital/sms-smpp#153: hexadecimal here, decimal there', '33e9517a', form('870928762', rest)],
  ['jookies/jasmin#418: an id that names a recipient and a part', 'SAR-4915112345678-1eedf843-2-1', form('SAR-4915112345678-1EEDF843-2-1', rest)],
  ['jookies/jasmin#70: dates with seconds', 'a29f', form('a29f', 'sub:001 dlvrd:001 submit date:261126040506 done date:261126040559 stat:DELIVRD err:000 text:')],
  ['onlinecity/php-smpp#29: a blank behind a colon', '7', form('7', 'sub:001 dlvrd:001 submit date:2611260405 done date:2611260406 stat:DELIVRD err: 0 text:')],
  ['onlinecity/php-smpp#70: an escape in what it quotes, and a TLV of the vendor', '7', { ...form('7', `${rest.replace('err:000', 'err:0000')}H\u001bello`), tlvs: [{ tag: 0x1454, value: Buffer.alloc(4) }] }],
  ['opentelecoms-org/jsmpp#62, twitter-archive/cloudhopper-smpp#105: sub and dlvrd are left out', '7', form('7', 'submit date:2611260405 done date:2611260406 stat:DELIVRD err:000 text:hellow')],
  ['farhadi/node-smpp#68: it says UCS-2 and is ASCII', 'S213', { ...form('S213', rest), dataCoding: 8 }],
  ['farhadi/node-smpp#140: TLVs alone, under no esm_class', '7f', { esmClass: 0, shortMessage: Buffer.alloc(0), tlvs: [{ tag: tlvTags.receipted_message_id, value: Buffer.from('7f\0') }, { tag: tlvTags.message_state, value: Buffer.of(2) }] }],
  ['farhadi/node-smpp#199: user_message_reference is a text', '0000029095', { ...form('0000029095', rest), tlvs: [{ tag: tlvTags.user_message_reference, value: Buffer.from('0000029095\0') }] }],
  ['kneodev/ksmppd#63: a header in front of it', '7', { esmClass: 0x44, shortMessage: Buffer.concat([header, Buffer.from(`id:7 ${rest}`)]) }],
] as const)('%s', async ([, answered, fields, ids]) => {
  const { receipts, inbound, known } = await bring(fields, { answered, ...(ids && { ids }) })
  expect(inbound).toEqual([])
  expect(receipts).toMatchObject([{ result: 'delivered' }])
  expect([receipts[0]?.networkId, ...(receipts[0]?.alternatives ?? [])]).toContain(known)
}) // prettier-ignore

test('jookies/jasmin#447: FAILED with a date of zeros, under no esm_class, is the end of its message', async () => {
  const failed = form(
    '1216',
    'sub:001 dlvrd:001 submit date:2611260405 done date:0000000000 stat:FAILED err:002 Text:',
  )
  const { receipts, inbound } = await bring({ ...failed, esmClass: 0 }, { answered: '1216' })
  expect([receipts.length, inbound]).toEqual([1, []])
  expect(receipts).toMatchObject([{ result: 'undelivered', networkCode: '002' }])
})

test('opentelecoms-org/jsmpp#9: BUFFRED and ACKED are no end, FAILED is one', async () => {
  const ends = []
  for (const word of ['BUFFRED', 'ACKED', 'FAILED'])
    ends.push((await bring(form('7', `stat:${word} err:0`), { answered: '7' })).receipts.length)
  expect(ends).toEqual([0, 0, 1])
})

test('twitter-archive/cloudhopper-smpp#40: err has letters', async () => {
  const { receipts } = await bring(form('7', 'stat:UNDELIV err:A1F'), { answered: '7' })
  expect(receipts).toMatchObject([{ networkCode: 'A1F' }])
})

test('farhadi/node-smpp#140: a text with a state and no id is counted, and shown to nobody', async () => {
  const text = 'message text:7 sub:001 dlvrd:0 submit date:2611260405 done date: stat:ACCEPTD err:000'
  const { receipts, inbound, unread } = await bring({ shortMessage: Buffer.from(text) })
  expect([receipts, inbound, unread]).toEqual([[], [], ['receipt']])
})

test('praekeltfoundation/vumi#216, komuw/naz#82, python-smpplib#90: a form of the vendor’s own is set for the link', async () => {
  const shortMessage = Buffer.from('REPORT 7|OK|2611260405|0')
  const pattern = 'report {id}|{stat}|{submitted}|{err}'
  const { receipts } = await bring({ shortMessage }, { pattern })
  expect(receipts).toMatchObject([{ networkId: '7', result: 'delivered', networkCode: '0' }])
  expect((await bring({ shortMessage })).unread).toEqual(['receipt'])
})

test.for([
  ['kneodev/ksmppd#50: ü as 0xfc in the default alphabet', 0, '46fc72', 'Für'],
  ['kneodev/ksmppd#166: UTF-8 in the default alphabet', 0, '35e282ac', '5€'],
  ['praekeltfoundation/vumi#812: a mark, then the low octet first', 8, 'fffe300030002000', '00 '],
  ['python-smpplib#103: UCS-2 of letters that Latin-1 has', 8, '0053006f00e90119', 'Soéę'],
  ['onlinecity/php-smpp#54: septets with an escape', 0, '351b65', '5€'],
] as const)('%s', async ([, dataCoding, octets, text]) => {
  const { inbound } = await bring({ esmClass: 0, dataCoding, shortMessage: Buffer.from(octets, 'hex') })
  expect(inbound.map((each) => each.text)).toEqual([text])
})

test('telenordigital/sms-smpp#172: pieces of an odd number of octets are whole once they are joined', async () => {
  const octets = Buffer.from('Привет всем', 'utf16le').swap16()
  const pieces = [octets.subarray(0, 9), octets.subarray(9, 18), octets.subarray(18)]
  const heard = await Promise.all(
    pieces.map((piece, i) => {
      const shortMessage = Buffer.concat([Buffer.of(5, 0, 3, 7, 3, i + 1), piece])
      return bring({ esmClass: 0x40, dataCoding: 8, shortMessage })
    }),
  )
  expect(readPieces(heard.map(({ inbound }) => inbound[0]?.fragment?.coded ?? null))).toBe('Привет всем')
})
