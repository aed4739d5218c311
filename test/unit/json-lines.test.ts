import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linesOfJson } from '../../src/cli/device/json-lines.ts'

test('each value of a JSON text has the line in which it begins', () => {
  const text = '{\n  "a": 1,\n  "b": [\n    true, "x\\"]",\n    { "c/d": null }\n  ],\n  "e": {\n  }\n}'
  expect(Object.fromEntries(linesOfJson(text))).toEqual({
    '': 1, '/a': 2, '/b': 3, '/b/0': 4, '/b/1': 4, '/b/2': 5, '/b/2/c~1d': 5, '/e': 7,
  }) // prettier-ignore
})

test('of any JSON every value has a line that there is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value, null, 2)
      const lines = linesOfJson(text)
      const count = text.split('\n').length
      expect(lines.get('')).toBe(1)
      expect([...lines.values()].every((line) => line >= 1 && line <= count)).toBe(true)
    }),
  )
})
