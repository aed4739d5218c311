import { expect, test } from 'vitest'
import { referenceOfPart } from '../../src/sms/part-reference.ts'

/** FNV-1a of 32 bits as its authors list it: "foobar" is 0xbf9cf968, "a" is 0xe40c292c, "b" is 0xe70c2de5; the last letter is the part here. */
test.each([
  ['fooba', 'r', 0xbf9c ^ 0xf968],
  ['', 'a', 0xe40c ^ 0x292c],
  ['', 'b', 0xe70c ^ 0x2de5],
])('the number of a part never changes: %j and %j', (attemptId, letter, folded) => {
  expect(referenceOfPart(attemptId, letter.charCodeAt(0))).toBe(1 + folded)
})

test('every number is one that a network can send back: 1 to 65535', () => {
  const numbers = Array.from({ length: 200_000 }, (_, part) => referenceOfPart('att_1', part))
  expect(numbers.every((number) => Number.isInteger(number))).toBe(true)
  expect([numbers.reduce((a, b) => Math.min(a, b)), numbers.reduce((a, b) => Math.max(a, b))]).toEqual([
    1, 65_535,
  ])
})
