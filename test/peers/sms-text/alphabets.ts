/**
 * What bytes mean on a handset, written down from the standards (3GPP TS 23.038, SMPP 3.4 section 5.2.19) and on purpose not
 * shared with the program: this is what its texts are compared with. What no handset could show comes out as U+FFFD.
 */

/** What data_coding 0 means on a link. */
export type Alphabet = 'gsm7' | 'gsm7-packed' | 'latin1' | 'ascii'

export interface TextContext {
  alphabet: Alphabet
  /** Octets of the user data header before the bytes: packed septets begin at the next septet boundary after it. */
  udhOctets: number
}

const damaged = '\uFFFD'

/** TS 23.038 section 6.2.1, read down the columns of its table; 0x1b is the escape. */
const basic = [
  ...'@£$¥èéùìòÇ\nØø\rÅå',
  ...'Δ_ΦΓΛΩΠΨΣΘΞ\u001BÆæßÉ',
  ...' !"#¤%&\'()*+,-./',
  ...'0123456789:;<=>?',
  ...'¡ABCDEFGHIJKLMNO',
  ...'PQRSTUVWXYZÄÖÑÜ§',
  ...'¿abcdefghijklmno',
  ...'pqrstuvwxyzäöñüà',
]

/** TS 23.038 section 6.2.1.1. */
const extension = new Map([
  [0x0a, '\f'],
  [0x14, '^'],
  [0x28, '{'],
  [0x29, '}'],
  [0x2f, '\\'],
  [0x3c, '['],
  [0x3d, '~'],
  [0x3e, ']'],
  [0x40, '|'],
  [0x65, '€'],
])

/** The text of one short message without its user data header; hex where data_coding says that it is no text. */
export function decodeText(bytes: Buffer, dcs: number, { alphabet, udhOctets }: TextContext): string {
  switch (meaningOf(dcs, alphabet)) {
    case 'gsm7':
      return fromSeptets([...bytes])
    case 'gsm7-packed':
      return fromSeptets(unpackSeptets(bytes, udhOctets))
    case 'latin1':
      return bytes.toString('latin1')
    case 'ascii':
      return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : damaged)).join('')
    case 'ucs2':
      return fromUcs2(bytes)
    case 'binary':
      return bytes.toString('hex')
  }
}

type Meaning = Alphabet | 'ucs2' | 'binary'

export function meaningOf(dcs: number, alphabet: Alphabet): Meaning {
  // Message class: the general group with a class, or the group 1111. A class says nothing of Latin-1: it is GSM's own.
  const gsm = alphabet === 'gsm7-packed' ? 'gsm7-packed' : 'gsm7'
  if ((dcs & 0xf0) === 0xf0) return (dcs & 4) === 0 ? gsm : 'binary'
  if ((dcs & 0xf0) === 0x10) return ([gsm, 'binary', 'ucs2', 'binary'] as const)[(dcs >> 2) & 3] as Meaning
  if (dcs === 0) return alphabet
  if (dcs === 1) return 'ascii'
  if (dcs === 3) return 'latin1'
  if (dcs === 8) return 'ucs2'
  return 'binary'
}

/** One septet a character; null for a character that the alphabet lacks. */
export function toSeptets(text: string): number[] | null {
  const septets: number[] = []
  for (const character of text) {
    const code = basic.indexOf(character)
    if (code >= 0 && code !== 0x1b) septets.push(code)
    else {
      const extended = [...extension].find(([, known]) => known === character)
      if (extended === undefined) return null
      septets.push(0x1b, extended[0])
    }
  }
  return septets
}

/** TS 23.038 section 6.1.2.1: the first septet in the lowest bits. */
export function packSeptets(septets: readonly number[], udhOctets = 0): Buffer {
  const offset = fillBits(udhOctets)
  const packed = Buffer.alloc(Math.ceil((offset + septets.length * 7) / 8))
  septets.forEach((septet, index) => {
    const bit = offset + index * 7
    const shifted = septet << (bit & 7)
    packed[bit >> 3]! |= shifted & 0xff
    if (shifted > 0xff) packed[(bit >> 3) + 1]! |= shifted >> 8
  })
  return packed
}

/**
 * The length of a packed short message counts octets, so that seven spare bits look like one more septet: a last `@` or CR
 * that ends with an octet is taken for that filling. A text that really ends so cannot be told apart, by a handset either.
 */
function unpackSeptets(bytes: Buffer, udhOctets: number): number[] {
  const offset = fillBits(udhOctets)
  const septets = Array.from({ length: Math.floor((bytes.length * 8 - offset) / 7) }, (_, index) => {
    const bit = offset + index * 7
    return ((bytes.readUInt8(bit >> 3) | ((bytes[(bit >> 3) + 1] ?? 0) << 8)) >> (bit & 7)) & 0x7f
  })
  const endsWithOctet = (offset + septets.length * 7) % 8 === 0
  const last = septets.at(-1)
  return endsWithOctet && (last === 0x00 || last === 0x0d) ? septets.slice(0, -1) : septets
}

const fillBits = (udhOctets: number): number => (7 - ((udhOctets * 8) % 7)) % 7

export function fromSeptets(septets: readonly number[]): string {
  let text = ''
  for (let at = 0; at < septets.length; at += 1) {
    const septet = septets[at] as number
    if (septet === 0x1b) text += extension.get(septets[(at += 1)] ?? -1) ?? damaged
    else text += basic[septet] ?? damaged
  }
  return text
}

/** Half a surrogate pair at the edge of a part is damage: handsets show each part before they join. */
export function fromUcs2(bytes: Buffer): string {
  const whole = Buffer.from(bytes.subarray(0, bytes.length & ~1))
  const text = whole.swap16().toString('utf16le').toWellFormed()
  return bytes.length % 2 === 0 ? text : text + damaged
}
