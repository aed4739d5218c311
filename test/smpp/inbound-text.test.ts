import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readInboundText } from '../../src/smpp/values/inbound-text.ts'
import { type MessageFields, tlvTags } from '../../src/smpp/codec/pdu.ts'
import { encodeGsm7 } from '../../src/sms/gsm7.ts'
import { octets } from './pdu-arbitraries.ts'
import { deliveryOf } from './receipt-fixture.ts'

const unpacked = { packing: 'unpacked', alphabet: 'gsm7' } as const
const packed = { packing: 'packed', alphabet: 'gsm7' } as const

const read = (
  shortMessage: Uint8Array,
  changed: Partial<MessageFields> = {},
  reading: Parameters<typeof readInboundText>[1] = unpacked,
) =>
  readInboundText(
    deliveryOf('', { esmClass: 0, shortMessage: Buffer.from(shortMessage), ...changed }),
    reading,
  )
const ucs2 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
const joined = (...chunks: (Uint8Array | number[])[]): Buffer =>
  Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)))

/** Septets without gaps behind a header, bit by bit (3GPP TS 23.038, section 6.1.2.1). */
function pack(septets: Uint8Array, headerOctets = 0): Buffer {
  const bits: number[] = Array.from({ length: (7 - ((headerOctets * 8) % 7)) % 7 }, () => 0)
  for (const septet of septets) for (let bit = 0; bit < 7; bit++) bits.push((septet >> bit) & 1)
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8))
  bits.forEach((bit, i) => (bytes[i >> 3] = (bytes[i >> 3] ?? 0) | (bit << (i & 7))))
  return bytes
}

const gsmCharacters = [
  ...'@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCÄÖÑÜ§¿abcäöñüà^{}\\[~]|€',
]
const gsmText = fc.array(fc.constantFrom(...gsmCharacters), { maxLength: 70 }).map((list) => list.join(''))
const headers = fc.constantFrom<number[]>([], [2, 0x24, 0], [5, 0, 3, 1, 2, 1], [6, 8, 4, 1, 1, 2, 1], [8, 0, 3, 9, 3, 2, 0x24, 1, 1]) // prettier-ignore

test('the default alphabet is read as it is written, with its escapes', () => {
  fc.assert(
    fc.property(gsmText, headers, (text, header) => {
      const esmClass = header.length === 0 ? 0 : 0x40
      expect(read(joined(header, encodeGsm7(text)), { esmClass }).text).toBe(text)
    }),
  )
})

test('and packed, behind any header', () => {
  fc.assert(
    fc.property(gsmText, headers, (text, header) => {
      // A last septet of zeros may be fill: the standard cannot tell it from '@'.
      fc.pre(!text.endsWith('@'))
      const esmClass = header.length === 0 ? 0 : 0x40
      const octetsOf = joined(header, pack(encodeGsm7(text), header.length))
      expect(read(octetsOf, { esmClass }, packed).text).toBe(text)
    }),
  )
})

test('tables of national languages are in force, unpacked and packed, and the last of two of a kind counts', () => {
  const turkish = Buffer.from('031b73', 'hex').subarray(1)
  const header = [3, 0x24, 1, 1]
  expect(read(joined(header, turkish), { esmClass: 0x40 }).text).toBe('ş')
  expect(read(joined(header, pack(turkish, 4)), { esmClass: 0x40 }, packed).text).toBe('ş')
  expect(read(joined([3, 0x25, 1, 1], [0x07]), { esmClass: 0x40 }).text).toBe('ı')
  expect(read(joined([6, 0x25, 1, 6, 0x25, 1, 1], [0x07]), { esmClass: 0x40 }).text).toBe('ı')
  expect(read(joined([8, 0, 3, 9, 2, 1, 0x24, 1, 1], turkish), { esmClass: 0x40 })).toMatchObject({
    text: 'ş',
    coded: { coding: { alphabet: 'gsm7', single: 1 } },
  })
  // An element of another length, or for a language that nobody has, says nothing.
  expect(read(joined([4, 0x24, 2, 1, 1], turkish), { esmClass: 0x40 }).text).toBe('s')
  expect(read(joined([3, 0x24, 1, 77], turkish), { esmClass: 0x40 }).text).toBe('s')
})

test('an octet that is no septet makes Latin-1 of a text in data_coding 0, unless it is packed or names a language', () => {
  const latin1 = Buffer.from('46fc7220e9', 'hex')
  expect(read(latin1).text).toBe('Für é')
  expect(read(latin1, { dataCoding: 0xf0 }).text).not.toBe('Für é')
  expect(read(joined([3, 0x24, 1, 1], latin1), { esmClass: 0x40 }).text).not.toBe('Für é')
  expect(read(latin1, {}, packed).text).not.toBe('Für é')
  expect(read(Buffer.from('@_')).text).toBe('¡§')
})

test('a mark of the order of octets is read and left out', () => {
  expect(read(joined([0xfe, 0xff], ucs2('Ж')), { dataCoding: 8 }).text).toBe('Ж')
  expect(read(joined([0xff, 0xfe], Buffer.from('Ж', 'utf16le')), { dataCoding: 8 }).text).toBe('Ж')
})

test('what gnokii packs is read', () => {
  const written = Buffer.from('C8329BFD066D50F7B79C4DDEA44031D9A60C', 'hex')
  expect(read(written, {}, packed).text).toBe('Hello {world} 12€')
})

test('UCS-2 is read with its surrogate pairs, and half a unit at the end is left out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.boolean(), (text, isOdd) => {
      const octetsOf = isOdd ? joined(ucs2(text), [0x41]) : ucs2(text)
      expect(read(octetsOf, { dataCoding: 8 }).text).toBe(text)
    }),
  )
})

test.for([
  [0, 'A€', Buffer.from([0x41, 0x1b, 0x65])],
  [1, 'A@', Buffer.from('A@')],
  [2, '00ff', Buffer.from([0x00, 0xff])],
  [3, 'Ä@', Buffer.from([0xc4, 0x40])],
  [4, '00ff', Buffer.from([0x00, 0xff])],
  [6, 'Привет', Buffer.from([0xbf, 0xe0, 0xd8, 0xd2, 0xd5, 0xe2])],
  [7, 'שלום', Buffer.from([0xf9, 0xec, 0xe5, 0xed])],
  [8, 'Ж€', Buffer.from([0x04, 0x16, 0x20, 0xac])],
  [0x10, '@', Buffer.from([0x00])],
  [0x14, '00', Buffer.from([0x00])],
  [0x18, 'Ж', Buffer.from([0x04, 0x16])],
  [0xc8, '@', Buffer.from([0x00])],
  [0xd0, '@', Buffer.from([0x00])],
  [0xe0, 'Ж', Buffer.from([0x04, 0x16])],
  [0xf0, '@', Buffer.from([0x00])],
  [0xf1, 'A', Buffer.from([0x41])],
  [0xf5, '41', Buffer.from([0x41])],
] as const)('data_coding %i reads as %s', ([dataCoding, text, bytes]) => {
  expect(read(bytes, { dataCoding }).text).toBe(text)
})

test('a link whose default is Latin-1 reads it so, and what names another alphabet all the same', () => {
  const latin1 = { packing: 'unpacked', alphabet: 'latin1' } as const
  expect(read(Buffer.from([0xc4, 0x40]), {}, latin1).text).toBe('Ä@')
  expect(read(ucs2('Ж'), { dataCoding: 8 }, latin1).text).toBe('Ж')
  expect(read(Buffer.from([0x00]), { dataCoding: 0xf0 }, latin1).text).toBe('@')
})

test('the text may come in message_payload, with its header', () => {
  const value = joined([5, 0, 3, 7, 2, 1], Buffer.from('Hello'))
  const tlvs = [{ tag: tlvTags.message_payload, value }]
  expect(read(Buffer.alloc(0), { esmClass: 0x40, tlvs })).toMatchObject({
    text: 'Hello',
    part: { reference: 7, total: 2, index: 1 },
  })
})

test('concatenation is found with 8 and with 16 bits, wherever it stands among other elements', () => {
  const element = fc
    .record({ id: fc.constantFrom(0x04, 0x05, 0x24, 0x70), value: octets(4) })
    .map(({ id, value }) => joined([id, value.length], value))
  const elements = fc.array(element, { maxLength: 4 })
  const numbers = fc.record({ reference: fc.nat(255), total: fc.integer({ min: 2, max: 255 }) })
  fc.assert(
    fc.property(
      elements,
      elements,
      numbers,
      fc.boolean(),
      fc.nat(),
      (front, behind, { reference, total }, isWide, any) => {
        const index = (any % total) + 1
        const own = isWide ? [8, 4, 1, reference, total, index] : [0, 3, reference, total, index]
        const body = joined(...front, own, ...behind)
        const shortMessage = joined([body.length], body, Buffer.from('Hi'))
        const part = { reference: isWide ? 256 + reference : reference, total, index }
        expect(read(shortMessage, { esmClass: 0x40 })).toMatchObject({ text: 'Hi', part })
      },
    ),
  )
})

const sar = (reference: number[], total: number, index: number) => [
  { tag: tlvTags.sar_msg_ref_num, value: Buffer.from(reference) },
  { tag: tlvTags.sar_total_segments, value: Buffer.of(total) },
  { tag: tlvTags.sar_segment_seqnum, value: Buffer.of(index) },
]

test('concatenation is found in TLVs', () => {
  expect(read(Buffer.from('Hi'), { tlvs: sar([1, 2], 3, 2) }).part).toEqual({
    reference: 258,
    total: 3,
    index: 2,
  })
  expect(read(Buffer.from('Hi'), { tlvs: sar([1, 2], 3, 2).slice(1) }).part).toBeNull()
  expect(read(Buffer.from('Hi'), { tlvs: sar([1], 3, 2) }).part).toBeNull()
})

test.for([
  ['a piece of one', 1, 1],
  ['piece zero', 3, 0],
  ['a piece behind the last', 3, 4],
  ['no pieces at all', 0, 0],
] as const)('%s is a whole message', ([, total, index]) => {
  const whole = { text: 'A', part: null }
  expect(read(joined([5, 0, 3, 7, total, index], [0x41]), { esmClass: 0x40 })).toMatchObject(whole)
  expect(read(Buffer.from('A'), { tlvs: sar([0, 1], total, index) })).toMatchObject(whole)
})

test('a piece may end within a character, a whole message is mended', () => {
  const half = ucs2('A😀').subarray(0, 4)
  expect(read(half, { dataCoding: 8, tlvs: sar([0, 1], 2, 1) }).text).toBe('A\ud83d')
  expect(read(half, { dataCoding: 8 }).text).toBe('A\ufffd')
})

test('any octets are read without a throw', () => {
  fc.assert(
    fc.property(
      octets(255),
      fc.nat(255),
      fc.nat(255),
      fc.constantFrom(unpacked, packed),
      (shortMessage, esmClass, dataCoding, reading) => {
        const { text, part } = read(shortMessage, { esmClass, dataCoding }, reading)
        expect(text.length).toBeLessThanOrEqual(shortMessage.length * 2)
        if (part !== null) expect(part.index).toBeLessThanOrEqual(part.total)
      },
    ),
    { numRuns: 1_000 },
  )
})
