import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readNumberList } from '../../src/messages/opt-outs/number-list.ts'

test('one number a line, in every spelling of an international one, each once', () => {
  const text =
    '\ufeff+4915112345678\r\n0049 151 12345679\n+49 (151) 123-456-80\n\n \t\n+4915112345678\n"+4915112345681"'
  expect(readNumberList(text)).toEqual({
    numbers: ['+4915112345678', '+4915112345679', '+4915112345680', '+4915112345681'],
    faults: [],
  })
})

test('of a table the first column that holds a number counts, and a line that names the columns is none', () => {
  const text = 'name;phone;since\nAda;+4915112345678;2026-01-01\n4711;+4915112345679;\n'
  expect(readNumberList(text)).toEqual({ numbers: ['+4915112345678', '+4915112345679'], faults: [] })
})

test('noughts inside a number are digits of it', () => {
  expect(readNumberList('+4915100123456\n00 49 151 00 123457')).toEqual({
    numbers: ['+4915100123456', '+4915100123457'],
    faults: [],
  })
})

test('what is no international number is named with its line, and not guessed', () => {
  const { numbers, faults } = readNumberList('phone\n015112345678\nnobody\n+49110\n+4915112345678')
  expect(numbers).toEqual(['+4915112345678'])
  expect(faults.map(({ line }) => line)).toEqual([2, 3, 4])
  expect(faults[1]).toEqual({ line: 3, detail: 'There is no number in this line.', suggestion: null })
  expect(faults[0]?.detail).toMatch(/E\.164/)
})

test('whatever a list holds, each line is a number, a fault, empty or the names of the columns', () => {
  const line = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.integer({ min: 1000, max: 9999 }).map((n) => `+491511234${n}`),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const { numbers, faults } = readNumberList(lines.join('\n'))
      for (const number of numbers) expect(number).toMatch(/^\+[1-9]\d{6,14}$/)
      expect(new Set(numbers).size).toBe(numbers.length)
      const said = lines.join('\n').split(/\r\n|[\r\n]/)
      for (const { line: at } of faults) expect(said[at - 1]?.trim()).not.toBe('')
    }),
  )
})
