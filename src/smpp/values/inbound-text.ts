import { type CodedText, readPieces } from '../../sms/coded-text.ts'
import type { NationalLanguages } from '../../sms/gsm7.ts'
import { type MessageFields, tlvTags } from '../codec/pdu.ts'

/** The place of a part in a long message. */
export interface Fragment {
  reference: number
  total: number
  /** From 1. */
  index: number
}

interface Reading {
  packing: 'unpacked' | 'packed'
  alphabet: 'gsm7' | 'latin1' | 'ascii'
}

const udhIndicator = 0x40
/**
 * Information elements of a user data header (3GPP TS 23.040, section 9.2.3.24): concatenation with 8 and
 * with 16 bits, tables of a national language.
 */
const concatenation8 = 0x00
const concatenation16 = 0x08
const singleShift = 0x24
const lockingShift = 0x25

/**
 * Returns the text of a deliver_sm or data_sm, without its header, and which part of a longer message it is;
 * null when it is complete. A part may end within a character: `coded` is joined then, or null where each
 * octet is a character.
 */
export function readInboundText(
  fields: MessageFields,
  reading: Reading,
): { text: string; part: Fragment | null; coded: CodedText | null } {
  const payload = valueOf(fields, tlvTags.message_payload)
  const octets = Buffer.from(
    payload !== null && fields.shortMessage.length === 0 ? payload : fields.shortMessage,
  )
  const header = (fields.esmClass & udhIndicator) === 0 ? Buffer.alloc(0) : headerOf(octets)
  const body = octets.subarray(header.length)
  const part = fragmentOfHeader(header) ?? fragmentOfTlvs(fields)
  const text = textOf(body, header, fields.dataCoding, reading)
  const whole = readPieces([text])
  return {
    text: part === null ? whole.toWellFormed() : whole,
    part,
    coded: typeof text === 'string' ? null : text,
  }
}

/** The header with its length octet; one that is longer than the received octets is all of them. */
const headerOf = (octets: Buffer): Buffer => octets.subarray(0, Math.min(octets.length, (octets[0] ?? 0) + 1))

/** Concatenation may follow other elements. */
function fragmentOfHeader(header: Buffer): Fragment | null {
  for (const [element, value] of elementsOf(header)) {
    if (element === concatenation8 && value.length === 3)
      return validFragment(value[0] as number, value[1] as number, value[2] as number)
    if (element === concatenation16 && value.length === 4)
      return validFragment(value.readUInt16BE(0), value[2] as number, value[3] as number)
  }
  return null
}

/** Of an element that is repeated the last one counts (section 9.2.3.24). */
function languagesOf(header: Buffer): NationalLanguages {
  const languages: NationalLanguages = {}
  for (const [element, value] of elementsOf(header)) {
    if (element === singleShift && value.length === 1) languages.single = value[0] as number
    if (element === lockingShift && value.length === 1) languages.locking = value[0] as number
  }
  return languages
}

function* elementsOf(header: Buffer): Generator<[element: number, value: Buffer]> {
  for (let at = 1; at + 1 < header.length;) {
    const length = header[at + 1] as number
    yield [header[at] as number, header.subarray(at + 2, at + 2 + length)]
    at += 2 + length
  }
}

function fragmentOfTlvs(fields: MessageFields): Fragment | null {
  const reference = valueOf(fields, tlvTags.sar_msg_ref_num)
  const total = valueOf(fields, tlvTags.sar_total_segments)?.[0]
  const index = valueOf(fields, tlvTags.sar_segment_seqnum)?.[0]
  if (reference?.length !== 2 || total === undefined || index === undefined) return null
  return validFragment(Buffer.from(reference).readUInt16BE(0), total, index)
}

/** An invalid count or place is ignored: the message is treated as complete. */
const validFragment = (reference: number, total: number, index: number): Fragment | null =>
  total < 2 || index < 1 || index > total ? null : { reference, total, index }

const valueOf = ({ tlvs }: MessageFields, tag: number): Uint8Array | null =>
  tlvs.find((tlv) => tlv.tag === tag)?.value ?? null

/** Separate alphabets (SMPP 3.4, section 5.2.19); anything else, outside the groups below, is the SMSC's default. */
const labels: ReadonlyMap<number, string> = new Map([
  [6, 'iso-8859-5'],
  [7, 'iso-8859-8'],
])

/** Decodes by data_coding: SMPP's own numbers, and the groups of 3GPP TS 23.038 (section 4) above them. */
function textOf(body: Buffer, header: Buffer, dataCoding: number, reading: Reading): CodedText | string {
  const alphabet = alphabetOf(dataCoding)
  if (alphabet === 'ucs2') return { octets: body, coding: { alphabet } }
  if (alphabet === 'octets') return body.toString('hex')
  if (dataCoding === 1) return body.toString('ascii')
  const label = labels.get(dataCoding)
  if (label !== undefined) return new TextDecoder(label).decode(body)
  if (dataCoding === 3 || (reading.alphabet !== 'gsm7' && dataCoding < 0x10)) return body.toString('latin1')
  const languages = languagesOf(header)
  const isPacked = reading.packing === 'packed'
  const hasLanguages = languages.locking !== undefined || languages.single !== undefined
  return {
    octets: isPacked ? unpackSeptets(body, header.length) : body,
    coding: {
      alphabet: 'gsm7',
      ...languages,
      ...(dataCoding === 0 && !isPacked && !hasLanguages && { perhapsLatin1: true }),
    },
  }
}

function alphabetOf(dataCoding: number): 'ucs2' | 'octets' | 'characters' {
  const group = dataCoding & 0xf0
  const bits = dataCoding & 0x0c
  if (dataCoding === 8 || group === 0xe0 || (group === 0x10 && bits === 0x08)) return 'ucs2'
  const isData = (group === 0x10 && bits === 0x04) || (group === 0xf0 && (bits & 0x04) !== 0)
  return dataCoding === 2 || dataCoding === 4 || isData ? 'octets' : 'characters'
}

/** Unpacks septets after a header of this many octets. A last septet that is only fill is omitted. */
function unpackSeptets(octets: Uint8Array, headerOctets: number): Uint8Array {
  const fillBits = (7 - ((headerOctets * 8) % 7)) % 7
  const count = Math.floor((octets.length * 8 - fillBits) / 7)
  const septets = Uint8Array.from({ length: Math.max(0, count) }, (_, i) => {
    const bit = fillBits + i * 7
    const at = bit >> 3
    return (((octets[at] ?? 0) | ((octets[at + 1] ?? 0) << 8)) >> (bit & 7)) & 0x7f
  })
  const isFill = (fillBits + count * 7) % 8 === 0 && septets.at(-1) === 0
  return isFill ? septets.subarray(0, -1) : septets
}
