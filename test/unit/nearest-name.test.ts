import { expect, test } from 'vitest'
import { editDistance, nearestName } from '../../src/runtime/nearest-name.ts'

const known = ['name', 'email', 'json', 'help', 'send-per-minute', 'read-per-minute']

test('finds the name that was meant: a letter too many, too few, wrong, or two swapped', () => {
  expect(nearestName('nmae', known)).toBe('name')
  expect(nearestName('emial', known)).toBe('email')
  expect(nearestName('jsn', known)).toBe('json')
  expect(nearestName('helpp', known)).toBe('help')
  expect(nearestName('send-per-minuet', known)).toBe('send-per-minute')
})

test('suggests nothing where nothing is near', () => {
  expect(nearestName('colour', known)).toBeNull()
  expect(nearestName('x', ['abc'])).toBeNull()
  expect(nearestName('n'.repeat(10_000), known)).toBeNull()
})

test('counts letters put in, left out, replaced and swapped', () => {
  expect(editDistance('', 'abc')).toBe(3)
  expect(editDistance('abc', 'abc')).toBe(0)
  expect(editDistance('abc', 'acb')).toBe(1)
  expect(editDistance('kitten', 'sitting')).toBe(3)
})
