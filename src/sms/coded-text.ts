import { isUtf8 } from 'node:buffer'
import { decodeGsm7, type NationalLanguages } from './gsm7.ts'

/**
 * How the octets of a received text are read: UTF-16 whose first octet is the high one unless it begins with a mark that says otherwise, or septets, one in
 * each octet. `perhapsLatin1` are septets whose sender may have meant Latin-1: an octet above 0x7f, which no septet is, tells.
 */
export type Coding = { alphabet: 'ucs2' } | ({ alphabet: 'gsm7'; perhapsLatin1?: true } & NationalLanguages)

/** A text, or a piece of one, as it came: a character may be cut between two pieces. */
export interface CodedText {
  octets: Uint8Array
  coding: Coding
}

/** A piece as it came, as it was read, or null where none came. */
export type TextPiece = CodedText | string | null

/**
 * Reads the pieces of a text in their order: neighbours of one coding together, since any character may be cut between them. `…` stands where some are missing.
 */
export function readPieces(pieces: readonly TextPiece[]): string {
  const isLatin1 = pieces.some(hasHighOctet)
  const isLittle = beginsWith(pieces[0], 0xff, 0xfe)
  let text = ''
  for (let from = 0; from < pieces.length;) {
    const to = endOfRun(pieces, from)
    const piece = pieces[from] as TextPiece
    if (piece === null) text += '…'
    else if (typeof piece === 'string') text += piece
    else {
      const octets = Buffer.concat(pieces.slice(from, to).map((each) => (each as CodedText).octets))
      const { coding } = piece
      if (coding.alphabet === 'ucs2') {
        const read = readUtf16(octets.subarray(isCutAt(pieces, from, to) ? 1 : 0), isLittle)
        text += from === 0 && read.startsWith('\ufeff') ? read.slice(1) : read
      } else text += coding.perhapsLatin1 && isLatin1 ? readEightBits(octets) : decodeGsm7(octets, coding)
    }
    from = to
  }
  return text
}

/** Latin-1, or UTF-8 where it is that from its beginning to its end: what people write in Latin-1 never is. */
const readEightBits = (octets: Buffer): string =>
  isUtf8(octets) ? octets.toString('utf8') : octets.toString('latin1')

/** Behind the last of the neighbours that are read together. */
function endOfRun(pieces: readonly TextPiece[], from: number): number {
  const kind = kindOf(pieces[from] as TextPiece)
  if (kind === 'text') return from + 1
  const length = pieces.slice(from).findIndex((piece) => kindOf(piece) !== kind)
  return length === -1 ? pieces.length : from + length
}

const kindOf = (piece: TextPiece): string =>
  piece === null ? 'missing' : typeof piece === 'string' ? 'text' : JSON.stringify(piece.coding)

/**
 * Whether a run of UTF-16 begins with the second half of a unit. Behind what is missing that is told by its end, which is that of a unit; where more is
 * missing there, by the length of the others: all pieces but the last are alike.
 */
function isCutAt(pieces: readonly TextPiece[], from: number, to: number): boolean {
  if (from === 0) return false
  const own = lengthOf(pieces.slice(from, to))
  if (to === pieces.length) return own % 2 === 1
  const longest = Math.max(...pieces.map((piece) => lengthOf([piece])))
  const before = pieces.slice(0, from).map((piece) => {
    if (piece === null) return longest
    // What an earlier release has read lacks the half of a unit at its end.
    if (typeof piece === 'string') return piece.length === longest >> 1 ? longest : 0
    return lengthOf([piece])
  })
  return before.reduce((sum, length) => sum + length, 0) % 2 === 1
}

/** How many octets of UTF-16 these are. */
const lengthOf = (pieces: readonly TextPiece[]): number =>
  pieces.reduce((sum, piece) => sum + (isCoded(piece, 'ucs2') ? piece.octets.length : 0), 0)

const isCoded = (piece: TextPiece | undefined, alphabet: Coding['alphabet']): piece is CodedText =>
  piece !== null && typeof piece === 'object' && piece.coding.alphabet === alphabet

const hasHighOctet = (piece: TextPiece): boolean =>
  isCoded(piece, 'gsm7') && piece.octets.some((octet) => octet > 0x7f)

const beginsWith = (piece: TextPiece | undefined, ...octets: number[]): boolean =>
  isCoded(piece, 'ucs2') && octets.every((octet, i) => piece.octets[i] === octet)

/** Half a unit at the end is left out. */
function readUtf16(octets: Uint8Array, isLittle: boolean): string {
  const whole = Buffer.from(octets.subarray(0, octets.length - (octets.length % 2)))
  return (isLittle ? whole : whole.swap16()).toString('utf16le')
}
