import { type CodedText, readPieces } from '../../sms/coded-text.ts'
import { alphabetOfDcs, type DcsAlphabet } from '../../sms/data-coding.ts'
import { unpackFilledSeptets } from '../../sms/septets.ts'
import {
  type Fragment,
  fragmentOf,
  headerOf,
  languagesOf,
  validFragment,
} from '../../sms/user-data-header.ts'
import { type MessageFields, tlvTags } from '../codec/pdu.ts'

interface Reading {
  packing: 'unpacked' | 'packed'
  alphabet: 'gsm7' | 'latin1' | 'ascii'
}

const udhIndicator = 0x40
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
  const part = fragmentOf(header) ?? fragmentOfTlvs(fields)
  const text = textOf(body, header, fields.dataCoding, reading)
  const whole = readPieces([text])
  return {
    text: part === null ? whole.toWellFormed() : whole,
    part,
    coded: typeof text === 'string' ? null : text,
  }
}

function fragmentOfTlvs(fields: MessageFields): Fragment | null {
  const reference = valueOf(fields, tlvTags.sar_msg_ref_num)
  const total = valueOf(fields, tlvTags.sar_total_segments)?.[0]
  const index = valueOf(fields, tlvTags.sar_segment_seqnum)?.[0]
  if (reference?.length !== 2 || total === undefined || index === undefined) return null
  return validFragment(Buffer.from(reference).readUInt16BE(0), total, index)
}

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
    octets: isPacked ? unpackFilledSeptets(body, header.length) : body,
    coding: {
      alphabet: 'gsm7',
      ...languages,
      ...(dataCoding === 0 && !isPacked && !hasLanguages && { perhapsLatin1: true }),
    },
  }
}

function alphabetOf(dataCoding: number): DcsAlphabet {
  if (standardGroups.has(dataCoding & 0xf0)) return alphabetOfDcs(dataCoding)
  if (dataCoding === 8) return 'ucs2'
  return dataCoding === 2 || dataCoding === 4 ? 'octets' : 'gsm7'
}

/** Groups of TS 23.038 with an alphabet of their own. */
const standardGroups: ReadonlySet<number> = new Set([0x10, 0xe0, 0xf0])
