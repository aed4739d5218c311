import fc from 'fast-check'
import { expect, test } from 'vitest'
import { copyText } from '../../src/storage/move/copy-rows.ts'

/** Reads the text format of COPY as its documentation says (postgresql.org/docs/current/sql-copy.html, File Formats). */
function read(text: string): (string | null)[][] {
  const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) =>
      line
        .split('\t')
        .map((field) =>
          field === '\\N' ? null : field.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter),
        ),
    )
}

const cell = fc.oneof(
  fc.constant(null),
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom('\\', '\b', '\f', '\n', '\r', '\t', '\v', '\0', 'N', '.', 'x', '"', '😀'),
  }),
)

test('whatever stands in a row is read back from the lines of COPY', () => {
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 5 }), (rows) => {
      const inPostgres = rows.map((row) => row.map((value) => value?.replaceAll('\0', '\u001A') ?? null))
      expect(read(copyText(rows))).toEqual(inPostgres)
    }),
  )
})

test('numbers are written out, and an empty text is not nothing', () => {
  expect(copyText([[1_800_000_000_000, -1, 0, '', null]])).toBe('1800000000000\t-1\t0\t\t\\N\n')
})

test('a character 0, which PostgreSQL has not, becomes one of the same length', () => {
  expect(copyText([['a\0b']])).toBe('a\u001Ab\n')
})
