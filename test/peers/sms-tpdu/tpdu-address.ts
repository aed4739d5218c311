import { fromSeptets, packSeptets, toSeptets } from '../sms-text/alphabets.ts'
import { type Octets, TpduError } from './tpdu-octets.ts'
import { unpackCounted } from './tpdu-text.ts'

/** An address as 3GPP TS 23.040 section 9.1.2.5 has it. */
export interface TpduAddress {
  /** Digits without a plus sign (also `*`, `#`, `a` to `c`), or the text of an alphanumeric address. */
  number: string
  /** The octet with the type of number and the numbering plan: 0x91 international, 0x81 unknown, 0xd0 alphanumeric. */
  type: number
}

const digits = '0123456789*#abc'
const alphanumeric = 5
const typeOfNumber = (type: number): number => (type >> 4) & 7

/** An address within a TPDU: its length octet counts useful semi-octets. */
export function readAddress(octets: Octets, what: string): TpduAddress {
  const length = octets.next(`the length of ${what}`)
  if (length > 20) throw new TpduError(`The length of ${what} is ${length}, and 20 is the most.`)
  const type = octets.next(`the type of ${what}`)
  if (type < 0x80) throw new TpduError(`The type of ${what} lacks its highest bit.`)
  const bytes = octets.take(Math.ceil(length / 2), what)
  if (typeOfNumber(type) === alphanumeric)
    return { number: fromSeptets(unpackCounted(bytes, Math.floor((length * 4) / 7), 0)), type }
  return { number: readDigits(bytes, length, what), type }
}

export function writeAddress({ number, type }: TpduAddress): Buffer {
  if (typeOfNumber(type) !== alphanumeric)
    return Buffer.concat([Buffer.from([number.length, type]), writeDigits(number)])
  const septets = toSeptets(number)
  if (septets === null) throw new Error(`Not in the GSM alphabet: ${number}`)
  return Buffer.concat([Buffer.from([Math.ceil((septets.length * 7) / 4), type]), packSeptets(septets)])
}

/** The SMSC in front of a TPDU (3GPP TS 27.005 section 3.1): its length octet counts octets, with the type; null for none. */
export function readSmsc(octets: Octets): TpduAddress | null {
  const length = octets.next('the length of the SMSC')
  if (length === 0) return null
  const type = octets.next('the type of the SMSC')
  const bytes = octets.take(length - 1, 'the SMSC')
  const isOdd = (bytes.at(-1) ?? 0) >> 4 === 0xf
  return { number: readDigits(bytes, bytes.length * 2 - (isOdd ? 1 : 0), 'the SMSC'), type }
}

export function writeSmsc(smsc: TpduAddress | null): Buffer {
  if (smsc === null) return Buffer.from([0])
  const bytes = writeDigits(smsc.number)
  return Buffer.concat([Buffer.from([bytes.length + 1, smsc.type]), bytes])
}

function readDigits(bytes: Buffer, length: number, what: string): string {
  const nibbles = [...bytes].flatMap((byte) => [byte & 0xf, byte >> 4])
  if (nibbles.slice(length).some((nibble) => nibble !== 0xf))
    throw new TpduError(`${what} is not filled up with F.`)
  return nibbles
    .slice(0, length)
    .map((nibble) => {
      const digit = digits[nibble]
      if (digit === undefined) throw new TpduError(`${what} has the digit F before its end.`)
      return digit
    })
    .join('')
}

function writeDigits(number: string): Buffer {
  const nibbles = [...number].map((digit) => {
    const nibble = digits.indexOf(digit)
    if (nibble < 0) throw new Error(`No address has the digit ${digit}.`)
    return nibble
  })
  if (nibbles.length % 2 === 1) nibbles.push(0xf)
  return Buffer.from(
    nibbles.flatMap((low, index) => (index % 2 === 0 ? [low | ((nibbles[index + 1] as number) << 4)] : [])),
  )
}

/** What people write: `+49…` is international, letters are alphanumeric, all else of unknown type. */
export function addressOf(written: string): TpduAddress {
  if (/^\+\d+$/.test(written)) return { number: written.slice(1), type: 0x91 }
  return { number: written, type: /^[\d*#abc]+$/.test(written) ? 0x81 : 0xd0 }
}
