import { expect, test } from 'vitest'
import { UsageError } from '../../src/cli/core/command-errors.ts'
import { readTime } from '../../src/cli/core/read-time.ts'

test.each([
  ['2028-02-29T08:00:00Z', '2028-02-29T08:00:00.000Z'],
  ['2027-01-31T08:00+01:00', '2027-01-31T07:00:00.000Z'],
  ['2027-01-31t08:00:00.5z', '2027-01-31T08:00:00.500Z'],
])('%s is a time on the command line', (text, instant) => {
  expect(new Date(readTime('--at', text)).toISOString()).toBe(instant)
})

test.each([
  '2027-02-30T08:00:00Z',
  '2027-02-29T08:00Z',
  '2027-04-31T00:00:00+02:00',
  '2027-01-31T24:00:00Z',
  '2027-01-31T08:00:00',
  '2027-01-31',
])('%s is refused on the command line: no clock shows it, or nobody knows of which zone', (text) => {
  expect(() => readTime('--at', text)).toThrow(UsageError)
})
