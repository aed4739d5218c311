import { countSeptets, encodeGsm7 } from '../../sms/gsm7.ts'
import { packFilledSeptets } from '../../sms/septets.ts'

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
    ? (text, headerOctets) => packFilledSeptets(encodeGsm7(text), headerOctets)
    : (text) => Buffer.from(encodeGsm7(text))
}
