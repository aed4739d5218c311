import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainNumber, readNumbers } from '../../console/src/send/recipients.ts'
import { costOfText, markOffending, withPlainCharacters } from '../../console/src/send/text-cost.ts'
import { planTable, unknownPlaceholders } from '../../console/src/send/table-plan.ts'
import { readTable } from '../../console/src/send/read-table.ts'
import { reportOf } from '../../console/src/send/table-report.ts'
import { measureText, normalizeText } from '../../src/sms/sms-text.ts'

const options = { numberColumn: 'number', text: 'Hi {{name}}', smartEncoding: false }

test('the counter says what the server charges, whatever is typed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }), (text) => {
      const { encoding, units, parts } = costOfText(text)
      expect({ encoding, units, parts }).toEqual(measureText(normalizeText(text), 'auto'))
      expect(
        markOffending(text, costOfText(text).offending)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(normalizeText(text))
    }),
  )
})

test('what it says is left fits into the parts that the server cuts, and one unit more is a part more', () => {
  expect([costOfText('😀'.repeat(67)), costOfText('€'.repeat(154))].map((cost) => cost.unitsLeft)).toEqual([
    65, 149,
  ])
  const unit = fc.constantFrom('a', '€', '[', '😀', 'ж', '\n')
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 700, minLength: 1 }), (text) => {
      const { parts, unitsLeft } = costOfText(text)
      const partsWith = (units: number): number =>
        measureText(normalizeText(text + 'a'.repeat(units)), 'auto').parts
      expect([partsWith(unitsLeft), partsWith(unitsLeft + 1)]).toEqual([parts, parts + 1])
    }),
  )
})

test('it names what forces UCS-2, and what the text costs without', () => {
  const text = `“${'a'.repeat(100)}”`
  const cost = costOfText(text)
  expect(cost).toMatchObject({ encoding: 'ucs2', parts: 2, partsIfReplaced: 1 })
  expect(cost.offending.map(({ code_point }) => code_point)).toEqual(['U+201C', 'U+201D'])
  expect(costOfText(withPlainCharacters(text))).toMatchObject({ encoding: 'gsm7', parts: 1 })
})

test('numbers are read as people paste them, each once', () => {
  expect(readNumbers('+49 (170) 123-45, 004917055\n+4917012345;+1\t')).toEqual({
    numbers: ['+4917012345', '+4917055', '+1'],
    duplicates: ['+4917012345'],
  })
  expect(plainNumber(' 0170/12 ')).toBe('017012')
})

test('a table is planned row by row: faults are named by the row of the file', () => {
  const table = readTable('number;name\n+15005550006;Ada\nnobody;Bob\n+1 500 555 0006;Eve\n;Kim\n')
  const { good, bad } = planTable(table, options)
  expect(good).toMatchObject([{ row: 2, to: '+15005550006', text: 'Hi Ada', parts: 1 }])
  expect(bad.map(({ row }) => row)).toEqual([3, 4, 5])
  expect(bad[1]?.fault).toContain('row 2')
})

test('a text may name only columns that there are, and what stands in a cell is never a placeholder', () => {
  expect(unknownPlaceholders('{{name}} {{ nam }}', ['name'])).toEqual(['nam'])
  const table = readTable('number,name\n+15005550006,{{number}}\n')
  expect(planTable(table, options).good[0]?.text).toBe('Hi {{number}}')
})

test('the report holds every row of the file, and no cell that a spreadsheet would run', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('+15005550006', "+1+cmd|' /C calc'!A0", '=1+1', '@x', '-2', ''), {
        maxLength: 20,
      }),
      (cells) => {
        const rows = cells.map((number) => ({ number, name: '=cmd' }))
        const plan = planTable({ columns: ['number', 'name'], rows, faults: [] }, options)
        const lines = reportOf(plan, []).split('\r\n')
        expect(lines.length).toBe(rows.length + 1)
        for (const line of lines) expect(line).not.toMatch(/(?:^|,)"?(?:[=@-]|\+\d*[^\d,])/)
      },
    ),
  )
})
