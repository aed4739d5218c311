import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  countSeptets,
  decodeGsm7,
  encodeGsm7,
  findGsm7PartEnds,
  isGsm7Character,
} from '../../src/sms/gsm7.ts'
import { EXTENSION_CHARACTERS, GSM7_CHARACTERS, gsm7Text } from '../sms-samples.ts'

test('exactly 127 characters cost a septet, and 10 cost two', () => {
  const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit))
  expect(units.filter((unit) => countSeptets(unit) === 1)).toEqual([...GSM7_CHARACTERS].toSorted())
  expect(units.filter((unit) => countSeptets(unit) === 2)).toEqual([...EXTENSION_CHARACTERS].toSorted())
  expect(units.filter(isGsm7Character)).toEqual([...GSM7_CHARACTERS, ...EXTENSION_CHARACTERS].toSorted())
  expect([GSM7_CHARACTERS.length, EXTENSION_CHARACTERS.length]).toEqual([127, 10])
})

test('characters have the septets of TS 23.038', () => {
  const known = {
    '@': 0x00,
    '\n': 0x0a,
    Δ: 0x10,
    _: 0x11,
    Ξ: 0x1a,
    É: 0x1f,
    '¤': 0x24,
    '¡': 0x40,
    Ü: 0x5e,
    à: 0x7f,
  }
  for (const [character, septet] of Object.entries(known))
    expect([...encodeGsm7(character)]).toEqual([septet])
  const escaped = {
    '\f': 0x0a,
    '^': 0x14,
    '{': 0x28,
    '}': 0x29,
    '\\': 0x2f,
    '[': 0x3c,
    '~': 0x3d,
    ']': 0x3e,
    '|': 0x40,
  }
  for (const [character, septet] of Object.entries({ ...escaped, '€': 0x65 })) {
    expect([...encodeGsm7(character)]).toEqual([0x1b, septet])
  }
})

test('septets decode to the text that they were encoded from', () => {
  fc.assert(
    fc.property(gsm7Text, (text) => {
      const septets = encodeGsm7(text)
      expect(septets).toHaveLength(countSeptets(text) ?? Number.NaN)
      expect(decodeGsm7(septets)).toBe(text)
    }),
  )
})

test('a character outside the alphabet is never encoded as another', () => {
  for (const text of ['ç', 'a`', '\t', '\u00a0', '😀', '\u001b'])
    expect(() => encodeGsm7(text)).toThrow(RangeError)
})

test('unknown escapes decode as TS 23.038 asks of a receiver, and no bytes fail', () => {
  expect(decodeGsm7(Uint8Array.of(0x1b, 0x41, 0x1b, 0x1b, 0x41, 0x1b))).toBe('A A ')
  expect(decodeGsm7(Uint8Array.of(0xc1))).toBe('A')
  fc.assert(
    fc.property(fc.uint8Array({ size: '+1' }), (bytes) => {
      expect(countSeptets(decodeGsm7(bytes))).toBeLessThanOrEqual(bytes.length)
    }),
  )
})

test('a joined part takes 153 septets at most, and ends only where the next character has no room', () => {
  fc.assert(
    fc.property(gsm7Text, (text) => {
      let start = 0
      for (const end of findGsm7PartEnds(text)) {
        expect(countSeptets(text.slice(start, end))).toBeLessThanOrEqual(153)
        if (end < text.length) expect(countSeptets(text.slice(start, end + 1))).toBeGreaterThan(153)
        start = end
      }
      expect(start).toBe(text.length)
    }),
  )
})
