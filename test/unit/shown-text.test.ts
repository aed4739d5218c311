import { expect, test } from 'vitest'
import { textOf } from '../../src/connectors/android/route.ts'

test('what a phone says about itself is one line without control characters and marks of direction', () => {
  expect(textOf('samsung/\u001b[2Ja12\u0007', 64)).toBe('samsung/[2Ja12')
  expect(textOf('a\r\n\tb', 64)).toBe('a   b')
  // Some phones put marks around a number (UAX 9); a name with one could rewrite the line that shows it.
  expect(textOf('\u202a+4915550001234\u202c', 64)).toBe('+4915550001234')
  expect(textOf('\u2066\u202e\u200f', 64)).toBe(null)
})
