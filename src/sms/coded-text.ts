import { isUtf8 } from 'node:buffer'
import { decodeGsm7, type NationalLanguages } from './gsm7.ts'

/**
 * Encoding of the octets of a received text: UTF-16, big-endian unless it begins with a byte order mark for
 * little-endian, or septets, one per octet. `perhapsLatin1` marks septets whose sender may have meant
 * Latin-1: an octet above 0x7f, which is no septet, proves it.
 */
export type Coding = { alphabet: 'ucs2' } | ({ alphabet: 'gsm7'; perhapsLatin1?: true } & NationalLanguages)

/** The octets of a text or of one fragment, as received. A character may be split between two fragments. */
export interface CodedText {
  octets: Uint8Array
  coding: Coding
}

/** A fragment as octets, as text, or null if it is missing. */
export type TextPiece = CodedText | string | null

/**
 * Decodes the fragments of a text in their order. Adjacent fragments with the same coding are decoded
 * together, since any character may be split between them. `…` replaces missing fragments.
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

/**
 * Decodes UTF-8 if the octets are valid UTF-8 from the beginning to the end, else Latin-1: text written in
 * Latin-1 never is.
 */
const readEightBits = (octets: Buffer): string =>
  isUtf8(octets) ? octets.toString('utf8') : octets.toString('latin1')

/** Returns the end of the run of adjacent fragments that are decoded together. */
function endOfRun(pieces: readonly TextPiece[], from: number): number {
  const kind = kindOf(pieces[from] as TextPiece)
  if (kind === 'text') return from + 1
  const length = pieces.slice(from).findIndex((piece) => kindOf(piece) !== kind)
  return length === -1 ? pieces.length : from + length
}

const kindOf = (piece: TextPiece): string =>
  piece === null ? 'missing' : typeof piece === 'string' ? 'text' : JSON.stringify(piece.coding)

/**
 * Returns whether a run of UTF-16 begins with the second octet of a unit. After a gap this follows from its
 * end, which is the end of a unit; if another gap follows, from the lengths of the others: all fragments
 * except the last have the same length.
 */
function isCutAt(pieces: readonly TextPiece[], from: number, to: number): boolean {
  if (from === 0) return false
  const own = lengthOf(pieces.slice(from, to))
  if (to === pieces.length) return own % 2 === 1
  const longest = Math.max(...pieces.map((piece) => lengthOf([piece])))
  const before = pieces.slice(0, from).map((piece) => {
    if (piece === null) return longest
    // Text decoded by an earlier release lacks the first half of a unit at its end.
    if (typeof piece === 'string') return piece.length === longest >> 1 ? longest : 0
    return lengthOf([piece])
  })
  return before.reduce((sum, length) => sum + length, 0) % 2 === 1
}

/** Returns the number of UTF-16 octets in these fragments. */
const lengthOf = (pieces: readonly TextPiece[]): number =>
  pieces.reduce((sum, piece) => sum + (isCoded(piece, 'ucs2') ? piece.octets.length : 0), 0)

const isCoded = (piece: TextPiece | undefined, alphabet: Coding['alphabet']): piece is CodedText =>
  piece !== null && typeof piece === 'object' && piece.coding.alphabet === alphabet

const hasHighOctet = (piece: TextPiece): boolean =>
  isCoded(piece, 'gsm7') && piece.octets.some((octet) => octet > 0x7f)

const beginsWith = (piece: TextPiece | undefined, ...octets: number[]): boolean =>
  isCoded(piece, 'ucs2') && octets.every((octet, i) => piece.octets[i] === octet)

/** Decodes UTF-16. Half a unit at the end is ignored. */
function readUtf16(octets: Uint8Array, isLittle: boolean): string {
  const whole = Buffer.from(octets.subarray(0, octets.length - (octets.length % 2)))
  return (isLittle ? whole : whole.swap16()).toString('utf16le')
}
