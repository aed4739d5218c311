/**
 * Septets in octets: eight in seven, the first in the lowest bits (3GPP TS 23.038, section 6.1.2.1). After a user
 * data header the text begins at the next boundary of septets, counted from the first octet of the header (TS
 * 23.040, section 9.2.3.24).
 */

/** Returns the bits that fill a header of this many octets to a whole number of septets. */
const fillBitsAfter = (headerOctets: number): number => (7 - ((headerOctets * 8) % 7)) % 7

/** Returns how many septets a header of this many octets takes, with the bits that fill it. */
export const septetsOfHeader = (headerOctets: number): number => Math.ceil((headerOctets * 8) / 7)

/** Packs septets that follow a header of this many octets; the header itself is not part of the result. */
export function packSeptets(septets: Uint8Array, headerOctets: number): Buffer {
  const fillBits = fillBitsAfter(headerOctets)
  const packed = Buffer.alloc(Math.ceil((fillBits + septets.length * 7) / 8))
  septets.forEach((septet, index) => put(packed, septet, fillBits + index * 7))
  return packed
}

/**
 * The same for a peer that counts octets, as SMPP does. Seven remaining bits would be read as one more septet, an
 * `@`: as in section 6.1.2.3.1 a CR fills them, which handsets do not show.
 */
export function packFilledSeptets(septets: Uint8Array, headerOctets: number): Buffer {
  const packed = packSeptets(septets, headerOctets)
  const bits = fillBitsAfter(headerOctets) + septets.length * 7
  if (packed.length * 8 - bits === 7) put(packed, carriageReturn, bits)
  return packed
}

/** Unpacks this many septets that follow a header of this many octets. What the octets do not hold is 0. */
export function unpackSeptets(octets: Uint8Array, headerOctets: number, count: number): Uint8Array {
  const fillBits = fillBitsAfter(headerOctets)
  return Uint8Array.from({ length: count }, (_, i) => {
    const bit = fillBits + i * 7
    const at = bit >> 3
    return (((octets[at] ?? 0) | ((octets[at + 1] ?? 0) << 8)) >> (bit & 7)) & 0x7f
  })
}

/** Unpacks all septets of octets whose sender counted octets. A last septet that is only fill is omitted. */
export function unpackFilledSeptets(octets: Uint8Array, headerOctets: number): Uint8Array {
  const bits = octets.length * 8 - fillBitsAfter(headerOctets)
  const septets = unpackSeptets(octets, headerOctets, Math.max(0, Math.floor(bits / 7)))
  return bits % 7 === 0 && septets.at(-1) === 0 ? septets.subarray(0, -1) : septets
}

const carriageReturn = 0x0d

function put(packed: Buffer, septet: number, bit: number): void {
  const octet = bit >> 3
  const shifted = septet << (bit & 7)
  packed[octet] = (packed[octet] ?? 0) | (shifted & 0xff)
  if (shifted > 0xff) packed[octet + 1] = shifted >> 8
}
