import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { SegmentedMessage } from 'sms-segments-calculator'
import { expect, test } from 'vitest'
import { countSeptets } from '../../src/sms/gsm7.ts'
import { replacementFor } from '../../src/sms/smart-encoding.ts'
import {
  applySmartEncoding,
  countPartsIfGsm7,
  findTextFault,
  measureText,
  normalizeText,
  offendingCharacters,
  splitText,
} from '../../src/sms/sms-text.ts'
import { anyText, clustersOf, gsm7Text } from '../sms-samples.ts'

type Vector = {
  name: string
  expr: string
  encoding: string
  units: number
  parts: number
  per_part: number[]
}

const VECTORS: Vector[] = JSON.parse(
  readFileSync(new URL('../data/segment-vectors.json', import.meta.url), 'utf8'),
)

test('there are 57 vectors to hold to', () => {
  expect(VECTORS).toHaveLength(57)
})

test.each(VECTORS)('counts and splits the vector: $name', ({ expr, encoding, units, parts, per_part }) => {
  const text = String(runInNewContext(expr))
  expect(measureText(text, 'auto')).toEqual({ encoding, units, parts })
  const unitsOf = (part: string) => (encoding === 'gsm7' ? countSeptets(part) : part.length)
  expect(splitText(text, 'auto').map(unitsOf)).toEqual(per_part)
})

test('the parts joined are the text, and as many as the measure says', () => {
  fc.assert(
    fc.property(
      fc.oneof(anyText, gsm7Text),
      fc.constantFrom('auto' as const, 'ucs2' as const),
      (text, encoding) => {
        const parts = splitText(text, encoding)
        expect(parts.join('')).toBe(text)
        expect(parts).toHaveLength(measureText(text, encoding).parts)
      },
    ),
    { numRuns: 1000 },
  )
})

// The oracle is not asked where it finds other clusters than Intl.Segmenter does (it knows an older Unicode, and
// CRLF is two clusters to it), nor where it overfills a part: with a cluster longer than one, and with what it takes over from
// the first part once that needs a header.
test('counts the parts as sms-segments-calculator does, wherever both see the same clusters', () => {
  const compared = { gsm7: 0, ucs2: 0 }
  fc.assert(
    fc.property(shortTexts(), (text) => {
      const clusters = clustersOf(text)
      fc.pre(clusters.every((cluster) => cluster.length <= 67))
      const oracle = new SegmentedMessage(text, 'auto')
      const comparable = clusters.every((cluster, i) => cluster === oracle.graphemes[i])
      const overfills = oracle.segments.some((segment) => segment.freeSizeInBits() < 0)
      fc.pre(comparable && clusters.length === oracle.graphemes.length && !overfills)
      const encoding = oracle.getEncodingName() === 'GSM-7' ? 'gsm7' : 'ucs2'
      compared[encoding]++
      expect(measureText(text, 'auto')).toMatchObject({ encoding, parts: oracle.segmentsCount })
    }),
    { numRuns: 400 },
  )
  expect(Math.min(compared.gsm7, compared.ucs2)).toBeGreaterThan(50)
})

test('a text that GSM-7 cannot carry is answered with what stands in the way, once each', () => {
  expect(measureText('Hi Ana – it’s on its way – soon', 'gsm7')).toEqual({
    notEncodable: [
      { character: '–', code_point: 'U+2013', index: 7, count: 2, replacement: '-' },
      { character: '’', code_point: 'U+2019', index: 11, count: 1, replacement: "'" },
    ],
  })
  expect(() => splitText('–', 'gsm7')).toThrow(RangeError)
})

test('a text asked for in UCS-2 gets it, even if GSM-7 could carry it', () => {
  expect(measureText('[a]'.repeat(24), 'ucs2')).toEqual({ encoding: 'ucs2', units: 72, parts: 2 })
})

test('offending characters are found by code point, and at most 50 are listed', () => {
  expect(offendingCharacters('😀a😀я')).toEqual([
    { character: '😀', code_point: 'U+1F600', index: 0, count: 2, replacement: null },
    { character: 'я', code_point: 'U+044F', index: 3, count: 1, replacement: null },
  ])
  const sixty = Array.from({ length: 60 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('')
  expect(offendingCharacters(sixty + sixty)).toHaveLength(50)
  expect(offendingCharacters(sixty + sixty).at(-1)).toMatchObject({ index: 49, count: 2 })
})

test('smart encoding is applied only if the result is wholly GSM-7 and needs fewer parts', () => {
  const long = `“It’s here” – ${'a'.repeat(60)}…`
  expect(applySmartEncoding(long)).toEqual({ text: `"It's here" - ${'a'.repeat(60)}...`, applied: true })
  expect(applySmartEncoding('It’s short')).toEqual({ text: 'It’s short', applied: false })
  expect(applySmartEncoding(`${long}я`)).toEqual({ text: `${long}я`, applied: false })
  expect(countPartsIfGsm7('It’s short')).toBe(1)
  expect(countPartsIfGsm7('It’s я')).toBeNull()
})

test('smart encoding never makes a text dearer, and leaves alone what it would not make cheaper', () => {
  const seen = { applied: 0, left: 0 }
  fc.assert(
    fc.property(fc.oneof(lookAlikeTexts(), anyText), (text) => {
      const smart = applySmartEncoding(text)
      seen[smart.applied ? 'applied' : 'left']++
      const [before, after] = [measureText(text, 'auto'), measureText(smart.text, 'auto')]
      if (smart.applied) expect([after.encoding, after.parts < before.parts]).toEqual(['gsm7', true])
      else expect(smart.text).toBe(text)
    }),
    { numRuns: 500 },
  )
  expect(Math.min(seen.applied, seen.left)).toBeGreaterThan(50)
})

test('look-alikes are never letters, marks or digits, and become GSM-7', () => {
  const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit))
  const known = units.filter((character) => replacementFor(character) !== null)
  expect(known.length).toBeGreaterThan(80)
  for (const character of known) {
    expect(character).not.toMatch(/[\p{L}\p{M}\p{N}]/u)
    expect(countSeptets(character)).toBeNull()
    expect(countSeptets(replacementFor(character) ?? 'я')).not.toBeNull()
  }
})

test('punctuation in the width of an ideograph becomes the same in ASCII', () => {
  const wide = Array.from({ length: 0xf0 }, (_, i) => String.fromCharCode(0xff00 + i))
  const punctuation = wide.filter((each) => /^[!-/:-@[-`{-~]$/.test(each.normalize('NFKC')))
  expect(punctuation).toHaveLength(32)
  for (const each of punctuation) expect(replacementFor(each)).toBe(each.normalize('NFKC').replace('`', "'"))
})

test('a text is normalised to NFC, and CRLF, but not a lone CR, becomes LF', () => {
  expect(normalizeText('e\u0301\u2126\r\na\rb\r\r\n')).toBe('éΩ\na\rb\r\n')
  fc.assert(
    fc.property(anyText, (text) => {
      const runs = text.match(/\p{M}+/gu) ?? []
      fc.pre(runs.every((run) => [...run].length < 256))
      expect(normalizeText(text)).toBe(text.replaceAll('\r\n', '\n').normalize('NFC'))
    }),
    { numRuns: 1000 },
  )
})

test('a run of more marks than anyone writes stays canonically equivalent', () => {
  const mark = fc.constantFrom('\u0301', '\u0316', '\u0334', '\u{1d165}', '\u0344')
  const run = fc.string({ unit: mark, minLength: 200, maxLength: 900, size: 'max' })
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'я', '가'), run), { maxLength: 3 }), (runs) => {
      const text = runs.flat().join('')
      expect(normalizeText(text).normalize('NFD')).toBe(text.normalize('NFD'))
    }),
  )
})

test('of a run of more than 256 marks each 256 are put in order by themselves', () => {
  // As a whole, the mark below would come before those above.
  const text = `я${'\u0301'.repeat(256)}\u0316`
  expect(normalizeText(text)).toBe(text)
  expect(normalizeText('я\u0301\u0316')).toBe('я\u0316\u0301')
})

test('half a surrogate pair is found, by code point', () => {
  expect(findTextFault('😀a\ud83d')).toMatchObject({ code: 'invalid_unicode', index: 2 })
  expect(findTextFault('\udc00\ud83d')).toMatchObject({ code: 'invalid_unicode', index: 0 })
  for (const edge of ['\ud800', '\udbff', '\udc00', '\udfff'])
    expect(findTextFault(`a${edge}`)).toMatchObject({ code: 'invalid_unicode', index: 1 })
  for (const beside of ['\ud7ff', '\ue000', '\ud800\udc00', '\udbff\udfff'])
    expect(findTextFault(`a${beside}`)).toBeNull()
  const halves = fc.array(fc.constantFrom('\ud83d', '\ude00', 'a', '😀', 'я'), { size: '+1' })
  fc.assert(
    fc.property(halves, (units) => {
      const text = `a${units.join('')}`
      expect(findTextFault(text)?.code ?? null).toBe(text.isWellFormed() ? null : 'invalid_unicode')
    }),
  )
})

test('of the control characters only LF, CR, FF and TAB are allowed', () => {
  expect(findTextFault('😀\0')).toMatchObject({ code: 'control_character', index: 1 })
  const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit))
  const refused = units.filter((unit) => findTextFault(`a${unit}`)?.code === 'control_character')
  expect(refused).toEqual(units.filter((unit) => /\p{Cc}/u.test(unit) && !'\n\r\f\t'.includes(unit)))
})

test.each([
  '',
  ' \t\n',
  '\u00a0\u3000',
  '\u200b\ufeff\u2060',
  '\u00ad\u034f\ufe0f',
  '\u3164\u2800',
  '\u2028',
])('refuses %j as blank, but not with something to see beside it', (blank) => {
  expect(findTextFault(blank)).toMatchObject({ code: 'blank', index: 0 })
  for (const visible of ['.', 'я', '😀', '\u0600']) expect(findTextFault(blank + visible)).toBeNull()
})

function shortTexts(): fc.Arbitrary<string> {
  const modern = fc.constantFrom('a', '€', 'я', '中', '\t', '😀', '🇮🇹', '🏳️‍🌈', '👨‍👩‍👧‍👦', 'e\u0301', '가', 'ไ', '’')
  const emojiText = fc.string({ unit: modern, maxLength: 200, size: 'max' })
  return fc.oneof(gsm7Text, emojiText, anyText).filter((text) => text.length <= 500)
}

function lookAlikeTexts(): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...'ab€’“–…\u00a0\u200b'), maxLength: 200, size: 'max' })
}
