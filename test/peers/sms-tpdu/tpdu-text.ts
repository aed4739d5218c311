import { fromSeptets, fromUcs2 } from '../sms-text/alphabets.ts'
import { Octets, TpduError } from './tpdu-octets.ts'

/** What the user data of a TPDU holds. */
export interface UserData {
  /** Elements of the header, as 3GPP TS 23.040 section 9.2.3.24 lists them; data in hex. */
  elements: { id: number; data: string }[]
  /** The header with its length octet, in hex; empty without. */
  header: string
  /** What follows the header: septets one an octet where the alphabet is GSM's, else octets; in hex. */
  units: string
  alphabet: Alphabet
  /** Null for 8-bit data. Half a surrogate pair at the edge of a part is U+FFFD here; `units` has it whole. */
  text: string | null
  /** The part of a concatenated text. */
  part: { reference: number; octets: 1 | 2; total: number; part: number } | null
}

export type Alphabet = 'gsm7' | 'data' | 'ucs2'

/** The alphabet of TP-DCS by 3GPP TS 23.038 section 4; reserved groups are GSM's own, as it says there. */
export function alphabetOf(dcs: number): Alphabet {
  const group = dcs >> 4
  // General data coding, with or without automatic deletion (01xx).
  if (group < 8) return (['gsm7', 'data', 'ucs2', 'gsm7'] as const)[(dcs >> 2) & 3] as Alphabet
  if (group === 0xe) return 'ucs2'
  return group === 0xf && (dcs & 4) !== 0 ? 'data' : 'gsm7'
}

/** The message class 0 to 3; null for none. */
export function classOf(dcs: number): number | null {
  const group = dcs >> 4
  if (group === 0xf || (group < 8 && (group & 1) === 1)) return dcs & 3
  return null
}

/** Reads TP-UDL and TP-UD up to the end. Compressed texts are read as if they were none. */
export function readUserData(octets: Octets, dcs: number, hasHeader: boolean): UserData {
  const length = octets.next('TP-UDL')
  const bytes = octets.rest()
  const alphabet = alphabetOf(dcs)
  const expected = alphabet === 'gsm7' ? Math.ceil((length * 7) / 8) : length
  if (bytes.length !== expected)
    throw new TpduError(`TP-UDL is ${length}, which is ${expected} octets, and ${bytes.length} follow.`)
  if (bytes.length > 140) throw new TpduError(`TP-UD has ${bytes.length} octets, and 140 is the most.`)
  const headerOctets = hasHeader ? (bytes[0] ?? 0) + 1 : 0
  if (headerOctets > bytes.length) throw new TpduError('The header is longer than TP-UD.')
  const header = bytes.subarray(0, headerOctets)
  const elements = readElements(header)
  const isGsm = alphabet === 'gsm7'
  const units = isGsm ? Buffer.from(septetsAfter(bytes, length, headerOctets)) : bytes.subarray(headerOctets)
  return {
    elements,
    header: header.toString('hex'),
    units: units.toString('hex'),
    alphabet,
    text: alphabet === 'data' ? null : isGsm ? fromSeptets([...units]) : fromUcs2(units),
    part: partOf(elements),
  }
}

function septetsAfter(bytes: Buffer, length: number, headerOctets: number): number[] {
  const headerSeptets = Math.ceil((headerOctets * 8) / 7)
  return unpackCounted(bytes, length - headerSeptets, headerSeptets)
}

/** Gives `count` septets after the first `skip`, whose bits may hold a header. */
export function unpackCounted(bytes: Buffer, count: number, skip: number): number[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const bit = (skip + index) * 7
    return (((bytes[bit >> 3] ?? 0) | ((bytes[(bit >> 3) + 1] ?? 0) << 8)) >> (bit & 7)) & 0x7f
  })
}

function readElements(header: Buffer): UserData['elements'] {
  const octets = new Octets(header.subarray(1))
  const elements: UserData['elements'] = []
  while (octets.left > 0) {
    const id = octets.next('a header element')
    elements.push({
      id,
      data: octets.take(octets.next('a header element'), 'a header element').toString('hex'),
    })
  }
  return elements
}

/** Of several the last counts (3GPP TS 23.040 section 9.2.3.24). */
function partOf(elements: UserData['elements']): UserData['part'] {
  const element = elements.findLast(
    ({ id, data }) => (id === 0 && data.length === 6) || (id === 8 && data.length === 8),
  )
  if (element === undefined) return null
  const bytes = Buffer.from(element.data, 'hex')
  const octets = element.id === 0 ? 1 : 2
  return {
    reference: bytes.readUIntBE(0, octets),
    octets,
    total: bytes[octets] as number,
    part: bytes[octets + 1] as number,
  }
}
