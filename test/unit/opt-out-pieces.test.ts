import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inPieces } from '../../console/src/opt-outs/in-pieces.ts'
import { readNumberList } from '../../src/messages/opt-outs/number-list.ts'

test('a list that is sent in pieces says the same as a whole, with the same lines at fault', () => {
  const line = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.integer({ min: 0, max: 9_999 }).map((n) => `+491511234${String(n).padStart(4, '0')}`),
    },
    fc.constantFrom('', 'nobody', 'name,number', '12', '"Ada", 0049 151 12345678'),
  )
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 1_300, size: 'max' }),
      fc.constantFrom('\n', '\r\n'),
      (lines, end) => {
        const list = lines.join(end)
        const whole = readNumberList(list)
        const pieces = inPieces(list)
        const read = pieces.map(({ text, linesBefore }) => ({ ...readNumberList(text), linesBefore }))
        expect([...new Set(read.flatMap(({ numbers }) => numbers))]).toEqual(whole.numbers)
        expect(
          read.flatMap(({ faults, linesBefore }) =>
            faults.map((fault) => ({ ...fault, line: fault.line + linesBefore })),
          ),
        ).toEqual(whole.faults)
        for (const { numbers } of read) expect(numbers.length).toBeLessThanOrEqual(500)
        for (const { text } of pieces) expect(text.length).toBeLessThanOrEqual(40_000)
      },
    ),
    { numRuns: 30 },
  )
})
