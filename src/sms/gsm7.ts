import { lockingTable, singleShiftTable } from './national-languages.ts'

/** The GSM 7-bit default alphabet and its extension table (3GPP TS 23.038, sections 6.2.1 and 6.2.1.1). */

const joinedPartSeptets = 153
const escapeSeptet = 0x1b
const defaultAlphabet =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const extensionTable: readonly [septet: number, character: string][] = [
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
]

// Cost in septets by UTF-16 unit: 1, 2 for the extension table, 0 if GSM-7 cannot encode it. It covers the
// full range of units, so that the loops that price a text need no map and no bounds check.
const septetCost = new Uint8Array(0x10000)

// Septet by UTF-16 unit; the low 7 bits in both tables, since the cost tells them apart.
const septetOf = new Uint8Array(0x10000)
const extendedCharacters: (string | undefined)[] = []
const defaultTable = [...defaultAlphabet]

for (let septet = 0; septet < defaultAlphabet.length; septet++) {
  if (septet !== escapeSeptet) registerCharacter(defaultAlphabet.charCodeAt(septet), septet, 1)
}
for (const [septet, character] of extensionTable) {
  registerCharacter(character.charCodeAt(0), septet, 2)
  extendedCharacters[septet] = character
}

function registerCharacter(unit: number, septet: number, cost: 1 | 2): void {
  septetCost[unit] = cost
  septetOf[unit] = septet
}

/** Returns the number of septets of a text, escapes included; null if GSM-7 cannot encode all of it. */
export function countSeptets(text: string): number | null {
  let septets = 0
  for (let index = 0; index < text.length; index++) {
    const cost = septetCost[text.charCodeAt(index)] ?? 0
    if (cost === 0) return null
    septets += cost
  }
  return septets
}

/** Returns whether GSM-7 has this character (a code point). */
export function isGsm7Character(character: string): boolean {
  return septetCost[character.charCodeAt(0)] !== 0
}

/**
 * Returns the ends of the parts of a joined GSM-7 message, each of at most `room` septets (at least 2). An
 * escape and its character stay together.
 */
export function findGsm7PartEnds(text: string, room = joinedPartSeptets): number[] {
  const ends: number[] = []
  let used = 0
  for (let index = 0; index < text.length; index++) {
    const cost = septetCost[text.charCodeAt(index)] ?? 0
    if (used + cost > room) {
      ends.push(index)
      used = 0
    }
    used += cost
  }
  ends.push(text.length)
  return ends
}

/**
 * Encodes a text as septets, one per byte (unpacked, as in SMPP's default alphabet); an extension character
 * takes two. Throws a RangeError for a character outside GSM-7: measure first.
 */
export function encodeGsm7(text: string): Uint8Array {
  const septets = new Uint8Array(text.length * 2)
  let length = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    const cost = septetCost[unit]
    if (cost === 0) throw new RangeError(`GSM-7 has no character for the UTF-16 unit at ${index}`)
    if (cost === 2) septets[length++] = escapeSeptet
    septets[length++] = septetOf[unit] ?? 0
  }
  return septets.slice(0, length)
}

/**
 * National languages of a text (3GPP TS 23.038, section 6.2.1.2), by their numbers. An absent or unknown
 * number is the default alphabet.
 */
export interface NationalLanguages {
  locking?: number
  single?: number
}

/**
 * Decodes unpacked septets. Accepts any bytes. As the standard requires of a receiver, an escape before a
 * code that the extension table lacks is skipped, and an escape before another or at the end is a space; the
 * eighth bit is ignored. A void cell of a national alphabet becomes a space, as phones show it.
 */
export function decodeGsm7(septets: Uint8Array, { locking, single }: NationalLanguages = {}): string {
  const alphabet = (locking === undefined ? null : lockingTable(locking, defaultTable)) ?? defaultTable
  const extensions =
    (single === undefined ? null : singleShiftTable(single, extendedCharacters)) ?? extendedCharacters
  let text = ''
  for (let index = 0; index < septets.length; index++) {
    const septet = septetAt(septets, index)
    if (septet !== escapeSeptet) {
      text += alphabet[septet] ?? ' '
      continue
    }
    const next = septetAt(septets, index + 1)
    if (next === escapeSeptet) text += ' '
    else text += extensions[next] ?? alphabet[next] ?? ' '
    index++
  }
  return text
}

/** Returns an escape past the end, which turns the escape before it into a space. */
function septetAt(septets: Uint8Array, index: number): number {
  return (septets[index] ?? escapeSeptet) & 0x7f
}
