import { decodeGsm7 } from '../../../sms/gsm7.ts'
import { unpackSeptets } from '../../../sms/septets.ts'
import { MalformedPdu, type PduReader } from './pdu-reader.ts'

/** A number or a name in a PDU (3GPP TS 23.040, section 9.1.2.5). */
export interface PduAddress {
  /** As written; with a plus if it is international. */
  number: string
  /** `other` is no subscriber's number: a name, a short code, a number within one network. */
  kind: 'international' | 'national' | 'unknown' | 'other'
}

/** Types of number in bits 7 to 5 of the type octet; its lower half is 1, the numbering plan of telephones. */
const ton = { unknown: 0, international: 1, national: 2, alphanumeric: 5 } as const
const international = 0x91
const unknownType = 0x81
/** At most 20 digits, in 10 octets. */
const maxDigits = 20
const fill = 0xf

/** Writes a recipient: international in E.164, anything else (a short code) as it is dialled. Throws a RangeError for others. */
export function encodeAddress(number: string): Buffer {
  const { digits, type } = splitNumber(number)
  return Buffer.concat([Buffer.from([digits.length, type]), semiOctets(digits)])
}

/** Writes the service centre before a PDU: its length in octets. Null leaves it to the SIM. */
export function encodeServiceCentre(number: string | null): Buffer {
  if (number === null) return Buffer.from([0])
  const { digits, type } = splitNumber(number)
  const address = semiOctets(digits)
  return Buffer.concat([Buffer.from([1 + address.length, type]), address])
}

/** Reads the address of a sender or recipient. Throws a MalformedPdu for one that is too long. */
export function readAddress(reader: PduReader): PduAddress {
  const length = reader.octet()
  if (length > maxDigits) throw new MalformedPdu(`An address of ${length} digits is too long.`)
  const type = (reader.octet() >> 4) & 7
  const value = reader.take(Math.ceil(length / 2))
  if (type === ton.alphanumeric) return { number: nameOf(value, length), kind: 'other' }
  const digits = digitsOf(value, length)
  if (type === ton.international) return { number: `+${digits}`, kind: 'international' }
  if (type === ton.national) return { number: digits, kind: 'national' }
  return { number: digits, kind: type === ton.unknown ? 'unknown' : 'other' }
}

function splitNumber(number: string): { digits: string; type: number } {
  const [, plus, digits = ''] = /^(\+?)(\d+)$/.exec(number) ?? []
  if (digits === '' || digits.length > maxDigits) throw new RangeError('needs 1 to 20 digits')
  return { digits, type: plus === '+' ? international : unknownType }
}

/** Writes each pair of digits in one octet, the first in its lower half (section 9.1.2.3). */
function semiOctets(digits: string): Buffer {
  const octets = Buffer.alloc(Math.ceil(digits.length / 2), 0xff)
  for (let at = 0; at < digits.length; at += 2) {
    const high = at + 1 < digits.length ? Number(digits[at + 1]) : fill
    octets[at >> 1] = Number(digits[at]) | (high << 4)
  }
  return octets
}

/** Section 9.1.2.3 has `*`, `#`, a, b and c after the digits; a fill before the end is not shown. */
const symbols = '0123456789*#abc'

/** Reads semi-octets; a fill ends nothing, since some networks count it as a digit. */
function digitsOf(octets: Buffer, length: number): string {
  let digits = ''
  for (let at = 0; at < length; at++) {
    const octet = octets[at >> 1] ?? 0
    digits += symbols[at % 2 === 0 ? octet & 0xf : octet >> 4] ?? ''
  }
  return digits
}

/**
 * Reads a name: as many septets as fit into its half octets. A network that counts whole octets writes 14 for
 * seven letters, whose fill is no eighth one, `@`.
 */
function nameOf(octets: Buffer, halfOctets: number): string {
  const count = Math.floor((halfOctets * 4) / 7)
  const septets = unpackSeptets(octets, 0, count)
  const isFilled = (halfOctets * 4) % 7 === 0 && septets.at(-1) === 0
  return decodeGsm7(isFilled ? septets.subarray(0, -1) : septets)
}
