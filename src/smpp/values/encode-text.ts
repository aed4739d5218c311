import { countSeptets, encodeGsm7 } from '../../sms/gsm7.ts'

/** How a link encodes texts that GSM-7 can represent. */
export interface TextSettings {
  /** What data_coding 0 means to the SMSC. */
  alphabet: 'gsm7' | 'latin1' | 'ascii'
  /** Only for the alphabet gsm7: one septet per octet, or eight septets in seven octets. */
  gsmPacking: 'unpacked' | 'packed'
}

/**
 * Octets after a user data header of this many octets, with the number of septets that the header takes when
 * packed.
 */
export type EncodeText = (text: string, headerOctets: number) => Buffer

/** Returns whether the default alphabet of the link has every character of a text. */
export function isInAlphabet(text: string, alphabet: TextSettings['alphabet']): boolean {
  if (alphabet === 'gsm7') return countSeptets(text) !== null
  const last = alphabet === 'ascii' ? 0x7f : 0xff
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > last) return false
  return true
}

/** Returns the encoder for the default alphabet of the link. `isInAlphabet` must be true. */
export function defaultEncoder({ alphabet, gsmPacking }: TextSettings): EncodeText {
  // ASCII is the first half of Latin-1.
  if (alphabet !== 'gsm7') return (text) => Buffer.from(text, 'latin1')
  return gsmPacking === 'packed'
    ? (text, headerOctets) => packSeptets(encodeGsm7(text), headerOctets)
    : (text) => Buffer.from(encodeGsm7(text))
}

/** UTF-16BE, which networks accept as UCS-2 (data_coding 8). */
export const encodeUcs2: EncodeText = (text) => Buffer.from(text, 'utf16le').swap16()

/**
 * Packs eight septets into seven octets, the first in the lowest bits (TS 23.038, section 6.1.2.1). After a
 * header the text begins at the next boundary of septets, counted from the first octet of the header (TS
 * 23.040, section 9.2.3.24).
 *
 * SMPP counts octets, and seven remaining bits would be read as one more septet, an `@`: as in section
 * 6.1.2.3.1 a CR fills them, which handsets do not show.
 */
function packSeptets(septets: Uint8Array, headerOctets: number): Buffer {
  const fillBits = (7 - ((headerOctets * 8) % 7)) % 7
  const bits = fillBits + septets.length * 7
  const packed = Buffer.alloc(Math.ceil(bits / 8))
  const put = (septet: number, at: number): void => {
    const octet = at >> 3
    const shifted = septet << (at & 7)
    packed[octet] = (packed[octet] ?? 0) | (shifted & 0xff)
    if (shifted > 0xff) packed[octet + 1] = shifted >> 8
  }
  septets.forEach((septet, index) => put(septet, fillBits + index * 7))
  if (packed.length * 8 - bits === 7) put(carriageReturn, bits)
  return packed
}

const carriageReturn = 0x0d
