import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeGsm7 } from '../../src/sms/gsm7.ts'
import { lockingTable, singleShiftTable } from '../../src/sms/national-languages.ts'

/** What another program has in each cell, `septet:code point` in hexadecimal; taken from its source by a script. */
interface Witness {
  locking: Record<string, string>
  single: Record<string, string>
}
const witnessOf = (name: string): Witness =>
  JSON.parse(readFileSync(new URL(`../data/national-languages-${name}.json`, import.meta.url), 'utf8'))
const android = witnessOf('android')
const warthog618 = witnessOf('warthog618')

const cellsOf = (text: string): Map<number, string> =>
  new Map(
    text.split(' ').map((cell) => {
      const [septet = '', code = ''] = cell.split(':')
      return [Number.parseInt(septet, 16), String.fromCharCode(Number.parseInt(code, 16))]
    }),
  )

const languages = Array.from({ length: 13 }, (_, i) => i + 1)
const septets = Array.from({ length: 128 }, (_, septet) => septet)
const escape = 0x1b
/** Kept free for a control character; nobody shows anything of its own. */
const control = 0x0d
const standard = septets.map((septet) => (septet === escape ? undefined : decodeGsm7(Uint8Array.of(septet))))
const extensions = standard.map((character, septet) => {
  const shifted = decodeGsm7(Uint8Array.of(escape, septet))
  return shifted === character ? undefined : shifted
})

const table = (cellOf: (septet: number) => string | undefined, but: readonly number[]): string[] =>
  septets
    .filter((septet) => !but.includes(septet))
    .map((septet) => `${septet.toString(16)} ${cellOf(septet)}`)

test.for(languages.filter((language) => language !== 2))(
  'each cell of the locking table of language %i is as two other programs have it',
  (language) => {
    const own = lockingTable(language, standard) ?? []
    const [phone, library] = [android, warthog618].map(({ locking }) => cellsOf(locking[language] ?? ''))
    // It has the first letters of Bengali under Hindi.
    const misprinted = language === 6 ? [0, 1, 2] : []
    for (const septet of misprinted) expect(library?.get(septet)).toBe(String.fromCharCode(0x981 + septet))
    const shown = (but: readonly number[]) => table((septet) => own[septet] ?? ' ', but)
    expect(shown([escape]), 'Android').toEqual(table((septet) => phone?.get(septet) ?? ' ', [escape]))
    const but = [escape, ...misprinted]
    expect(shown(but), 'warthog618').toEqual(table((septet) => library?.get(septet) ?? ' ', but))
  },
)

test.for(languages)('and so is each cell of the single shift table of language %i', (language) => {
  const own = singleShiftTable(language, extensions)
  const [phone, library] = [android, warthog618].map(({ single }) => cellsOf(single[language] ?? ''))
  const shown = table((septet) => own?.[septet], [escape, control])
  expect(shown, 'Android').toEqual(table((septet) => phone?.get(septet), [escape, control]))
  expect(shown, 'warthog618').toEqual(table((septet) => library?.get(septet), [escape, control]))
})

test('Spanish has a single shift table alone, and a language that is none has neither', () => {
  expect(lockingTable(2, standard)).toBeNull()
  for (const language of [0, 14, 255]) {
    expect(lockingTable(language, standard)).toBeNull()
    expect(singleShiftTable(language, standard)).toBeNull()
    expect(decodeGsm7(Uint8Array.of(0x41, escape, 0x65), { locking: language, single: language })).toBe('A€')
  }
})

test('what a single shift table lacks is the character of the alphabet in force', () => {
  const lower = Uint8Array.of(escape, 0x73, 0x73)
  expect(decodeGsm7(lower)).toBe('ss')
  expect(decodeGsm7(lower, { single: 1 })).toBe('şs')
  expect(decodeGsm7(Uint8Array.of(escape, 0x07, 0x07), { locking: 1 })).toBe('ıı')
  expect(decodeGsm7(Uint8Array.of(0x3c, escape, escape, escape), { locking: 4 })).toBe('   ')
})

test('any text of two tables is read back', () => {
  const language = fc.constantFrom(...languages)
  fc.assert(
    fc.property(
      language,
      language,
      fc.array(fc.tuple(fc.nat(127), fc.boolean())),
      (locking, single, codes) => {
        const letters = lockingTable(locking, standard) ?? standard
        const shifted = singleShiftTable(single, [])
        const known = codes.filter(
          ([code, isShifted]) => code !== escape && (isShifted ? shifted : letters)?.[code] !== undefined,
        )
        const written = Uint8Array.from(
          known.flatMap(([code, isShifted]) => (isShifted ? [escape, code] : [code])),
        )
        const text = known.map(([code, isShifted]) => (isShifted ? shifted : letters)?.[code]).join('')
        expect(decodeGsm7(written, { locking, single })).toBe(text)
      },
    ),
  )
})
