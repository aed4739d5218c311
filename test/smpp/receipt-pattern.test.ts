import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPattern } from '../../src/smpp/values/receipt-pattern.ts'

const read = (pattern: string, text: string) => readPattern(pattern)?.(text)

test('fields are what stands between the words of a pattern', () => {
  expect(read('{stat},{submitted},{id},{*}', '00,2611260405,Ab-7,0049,x')).toEqual({
    id: 'Ab-7',
    stat: '00',
    err: null,
    submitDate: '2611260405',
    sub: null,
    dlvrd: null,
  })
  expect(read('Message {id} is {stat} ({err}).', ' message 5 IS Lost (0x7). ')).toMatchObject({
    id: '5',
    stat: 'Lost',
    err: '0x7',
  })
  expect(read('{id}|{stat}|{err}', '5|LOST|')).toMatchObject({ id: '5', stat: 'LOST', err: null })
})

test.for([
  ['another beginning', 'x00,2611260405,7'],
  ['more behind the end', 'a 7 b 00 c d'],
  ['a field that is missing', 'a 7 b'],
  ['an id of two words', 'a 7 8 b 00 c'],
  ['no id', 'a  b 00 c'],
  ['nothing', ''],
] as const)('a text with %s does not fit', ([, text]) => {
  expect(read('a {id} b {stat} c', text)).toBeNull()
})

test('two fields with nothing between them are no pattern, wherever they stand', () => {
  for (const pattern of ['{id}{stat}', '{id}{stat} {err}', '{err} {id}{stat}', '{id} {stat}{*}'])
    expect(readPattern(pattern), pattern).toBeUndefined()
  expect(readPattern('{id} {stat}')).toBeDefined()
})

test('a date is one of digits', () => {
  expect(read('{id},{stat},{submitted}', '7,OK,tomorrow')).toBeNull()
})

test('what was written by a pattern is read by it, and any text is read in one pass without a throw', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)
  fc.assert(
    fc.property(word, word, word, fc.string({ maxLength: 20 }), (id, stat, err, rest) => {
      expect(read('<{id}/{stat}> {err};{*}', `<${id}/${stat}> ${err};${rest}`)).toMatchObject({
        id,
        stat,
        err,
      })
    }),
  )
  const fits = readPattern('{*}a{*}a{*}a{*}a{*}a{id}a{stat}b')
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'A', 'b', ' ', 'İ'), maxLength: 300 }), (text) => {
      expect(fits?.(text)).not.toBeUndefined()
    }),
  )
})
