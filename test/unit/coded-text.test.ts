import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CodedText, readPieces, type TextPiece } from '../../src/sms/coded-text.ts'
import { encodeGsm7 } from '../../src/sms/gsm7.ts'
import { gsm7Text } from '../sms-samples.ts'

const ucs2 = (...octets: (Uint8Array | number[])[]): CodedText => ({
  octets: Buffer.concat(octets.map((each) => Buffer.from(each))),
  coding: { alphabet: 'ucs2' },
})
const gsm7 = (octets: Uint8Array): CodedText => ({
  octets,
  coding: { alphabet: 'gsm7', perhapsLatin1: true },
})
const bigEndian = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
/** Pieces of so many octets each, the last of what is left. */
const cut = (octets: Uint8Array, room: number): Uint8Array[] =>
  Array.from({ length: Math.max(1, Math.ceil(octets.length / room)) }, (_, i) =>
    octets.subarray(i * room, (i + 1) * room),
  )
const cutAnywhere = (octets: Uint8Array, places: readonly number[]): Uint8Array[] => {
  const ends = [...places.map((place) => place % (octets.length + 1)), octets.length].toSorted(
    (a, b) => a - b,
  )
  return ends.map((end, i) => octets.subarray(ends[i - 1] ?? 0, end))
}
const anyText = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((text) => !/^[\ufeff\ufffe]/.test(text))
const places = fc.array(fc.nat(), { maxLength: 5 })
const marks = fc.constantFrom<[mark: number[], isLittle: boolean]>(
  [[], false],
  [[0xfe, 0xff], false],
  [[0xff, 0xfe], true],
)

test('a text in UTF-16 is read as it was written, wherever it is cut, in the order of octets that its mark tells', () => {
  fc.assert(
    fc.property(anyText, places, marks, (text, at, [mark, isLittle]) => {
      const octets = Buffer.concat([
        Buffer.from(mark),
        isLittle ? Buffer.from(text, 'utf16le') : bigEndian(text),
      ])
      // A mark that is cut itself is none.
      const pieces = cutAnywhere(octets, at).filter((piece, i) => piece.length > 0 || i === 0)
      fc.pre(mark.length === 0 || (pieces[0]?.length ?? 0) >= 2)
      expect(readPieces(pieces.map((piece) => ucs2(piece)))).toBe(text)
    }),
  )
})

test('a mark is one at the very beginning alone', () => {
  expect(readPieces([ucs2(bigEndian('a\ufeffb')), ucs2(bigEndian('\ufeffc'))])).toBe('a\ufeffb\ufeffc')
  expect(readPieces([ucs2([0xfe, 0xff]), ucs2([0xff])])).toBe('')
  // U+FF01 begins with one octet of a mark, U+0BFE ends with the other.
  expect(readPieces([ucs2(bigEndian('！a'))])).toBe('！a')
  expect(readPieces([ucs2(bigEndian('\u0bfea'))])).toBe('\u0bfea')
})

test('a text of septets is read as it was written, wherever it is cut', () => {
  fc.assert(
    fc.property(gsm7Text, places, (text, at) => {
      const pieces = cutAnywhere(encodeGsm7(text), at).map((piece) => gsm7(piece))
      expect(readPieces(pieces)).toBe(text)
    }),
  )
})

test('an octet that is no septet makes Latin-1 of all pieces that may be it, and of no other', () => {
  const pieces = [gsm7(Buffer.from('a@', 'latin1')), gsm7(Buffer.from('Für é_', 'latin1'))]
  expect(readPieces(pieces)).toBe('a@Für é_')
  expect(readPieces(pieces.slice(0, 1))).toBe('a¡')
  expect(readPieces([gsm7(Buffer.of(0x40, 0x7f))])).toBe('¡à')
  expect(readPieces([gsm7(Buffer.of(0x40, 0x80))])).toBe('@\u0080')
  const certain: CodedText = { octets: Buffer.of(0x40, 0xc0), coding: { alphabet: 'gsm7', single: 1 } }
  expect(readPieces([certain, ...pieces])).toBe('¡¡a@Für é_')
})

test('octets above 0x7f that are sound as UTF-8 are that, also where a character is cut', () => {
  const octets = Buffer.from('Für 5 €')
  for (let at = 0; at <= octets.length; at++)
    expect(readPieces([gsm7(octets.subarray(0, at)), gsm7(octets.subarray(at))])).toBe('Für 5 €')
  expect(readPieces([gsm7(octets.subarray(0, -1))])).toBe('FÃ¼r 5 â\u0082')
})

test('where pieces of UTF-16 are missing the others are read in step, whether pieces are odd or even', () => {
  const text = 'Привет, как дела? Всё хорошо 😀 до завтра'
  for (const room of [7, 10, 11]) {
    const pieces: CodedText[] = cut(bigEndian(text), room).map((piece) => ucs2(piece))
    for (const missing of pieces.keys()) {
      const left: TextPiece[] = pieces.with(missing, null as never)
      const [front = '', behind = ''] = readPieces(left).split('…')
      const name = `${room} octets, without ${missing}`
      // Half of a character that is cut at the hole is gone, and nothing else.
      expect(text.startsWith(front.replace(/\p{Cs}$/u, '')), name).toBe(true)
      expect(text.endsWith(behind.replace(/^\p{Cs}/u, '')), name).toBe(true)
      expect(front.length + behind.length, name).toBeGreaterThanOrEqual(text.length - room / 2 - 1)
    }
  }
})

test('what stands between two holes is read in step', () => {
  const pieces = cut(bigEndian('abcdefghijkl'), 5).map((piece) => ucs2(piece))
  expect(readPieces(pieces.map((piece, i) => (i === 0 || i === 2 ? null : piece)))).toBe('…de…ijkl')
  expect(readPieces(pieces.map((piece, i) => (i === 1 || i === 3 ? null : piece)))).toBe('ab…fg…kl')
  // Septets put nothing out of step, however many there are.
  expect(readPieces([gsm7(encodeGsm7('a')), ucs2(bigEndian('b')), null])).toBe('ab…')
})

test('a hole is one mark, however many pieces are missing, in front and at the end too', () => {
  expect(readPieces([null, null, ucs2(bigEndian('a')), null, gsm7(encodeGsm7('b')), null])).toBe('…a…b…')
})

test('what an earlier release has read stands among what came since, in step', () => {
  const octets = cut(bigEndian('abcdefgh'), 5)
  // Its third character was cut, and half of it left out.
  expect(readPieces(['ab', ...octets.slice(1).map((piece) => ucs2(piece))])).toBe('abdefgh')
  const [, second, , last] = octets.map((piece) => ucs2(piece))
  expect(readPieces(['ab', second!, null, last!])).toBe('abde…')
  expect(readPieces(['text ', 'and text'])).toBe('text and text')
  expect(readPieces(['plain', ucs2(bigEndian('x')), null])).toBe('plainx…')
})
