import { decodeGsm7 } from '../../../sms/gsm7.ts'
import { unpackSeptets } from '../../../sms/septets.ts'

/** A shorter text in hexadecimal digits may be a plain one, such as an amount. */
const minHexDigits = 10
/** A text of one script has two high octets in most of its units, for letters and for digits and blanks; septets have any two by chance in a few. */
const sharedHalves = 0.75

/**
 * Returns the text of a USSD answer (3GPP TS 27.007, section 7.15), which modems write as it is, as packed septets in
 * hexadecimal (Huawei), or as UCS-2 in hexadecimal, regardless of the data coding scheme that they name.
 */
export function ussdText(written: string): string {
  if (!/^(?:[0-9A-F]{2})+$/i.test(written) || written.length < minHexDigits) return written
  const octets = Buffer.from(written, 'hex')
  if (looksLikeUcs2(octets)) return octets.swap16().toString('utf16le')
  const septets = unpackSeptets(octets, 0, Math.floor((octets.length * 8) / 7))
  return decodeGsm7(septets).trimEnd()
}

function looksLikeUcs2(octets: Buffer): boolean {
  if (octets.length % 2 !== 0) return false
  const counts = new Map<number, number>()
  for (let at = 0; at < octets.length; at += 2) {
    const high = octets[at] as number
    counts.set(high, (counts.get(high) ?? 0) + 1)
  }
  const [first = 0, second = 0] = [...counts.values()].toSorted((a, b) => b - a)
  return first + second >= (octets.length / 2) * sharedHalves
}
