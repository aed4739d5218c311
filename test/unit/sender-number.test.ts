import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePhoneNumber } from '../../src/phone-number.ts'
import { readSender } from '../../src/sender-number.ts'

const mobile = '+4915112345678'

test.for([
  ['says so itself', mobile, {}],
  ['has 00 in the place of the plus', '004915112345678', {}],
  ['is written with blanks', '+49 151 12345678', { country: 'DE' }],
  ['is written with 00 and blanks', '0049 151 12345678', { country: 'DE' }],
  ['is written with brackets, dashes and a slash', '(0151) 12-345/678', { country: 'DE' }],
  ['has the bare digits of a network that tells nothing', '4915112345678', {}],
  ['has them on a link of its own country', '4915112345678', { country: 'DE' }],
  ['has them on a link of another country', '4915112345678', { country: 'US' }],
  ['is national, of the country of the link', '15112345678', { is: 'national', country: 'DE' }],
  ['has the prefix that is dialled there', '015112345678', { is: 'national', country: 'DE' }],
  ['has it where the network tells nothing', '015112345678', { country: 'DE' }],
  ['has no prefix where the network tells nothing', '15112345678', { country: 'DE' }],
  [
    'is called special by its network, and is as long as a mobile number is',
    '4915112345678',
    { is: 'other' },
  ],
  ['is called national with its calling code', '4915112345678', { is: 'national', country: 'DE' }],
] as const)('a number that %s is one of E.164', ([, from, facts]) => {
  expect(readSender(from, facts)).toBe(mobile)
})

test.for([
  ['2025550123', { is: 'national', country: 'US' }, '+12025550123'],
  ['2025550123', { country: 'US' }, '+12025550123'],
  ['12025550123', { country: 'US' }, '+12025550123'],
  ['12025550123', { country: 'DE' }, '+12025550123'],
  ['79161234567', { country: 'RU' }, '+79161234567'],
  ['89161234567', { country: 'RU' }, '+79161234567'],
  ['20123456', { is: 'national', country: 'DK' }, '+4520123456'],
  ['3123456789', { is: 'national', country: 'IT' }, '+393123456789'],
] as const)('%s, of %j, is %s', ([from, facts, number]) => {
  expect(readSender(from, facts)).toBe(number)
})

test.for([
  ['is national, of a country that nobody has named', '15112345678', { is: 'national' }],
  ['is national, and could be the international one of somebody else', '2079460000', { is: 'national' }],
  ['is national, and has the prefix that is dialled in its country', '015112345678', {}],
  [
    'is called special, and would be one in the country of the link alone',
    '15112345678',
    { is: 'other', country: 'DE' },
  ],
  ['is called special, and is as short as such codes are', '44123456', { is: 'other', country: 'GB' }],
  ['is a short code', '22333', { country: 'DE' }],
  ['is a name', 'ACME', { country: 'DE' }],
  ['is of no length that its country has', '49151', {}],
  ['begins with a calling code that there is not', '9991234567', {}],
  ['is of a country that there is not', '15112345678', { is: 'national', country: 'ZZ' }],
  ['is empty', '', {}],
] as const)('what %s stays as it came', ([, from, facts]) => {
  expect(readSender(from, facts)).toBe(from)
})

test('whatever comes, it stays as it is or becomes a number that can be written to, and that stays', () => {
  const digits = fc.stringMatching(/^(?:\+|00)?\d{0,17}$/)
  const likely = fc.stringMatching(/^(?:\+|00)?(?:49151|1202|4479|7916|39320|5511)\d{6,8}$/)
  const facts = fc.record({
    is: fc.constantFrom(undefined, 'national' as const, 'other' as const),
    country: fc.constantFrom(null, 'DE', 'US', 'IT', 'RU', 'BR', 'GB', ''),
  })
  fc.assert(
    fc.property(fc.oneof(digits, likely, fc.string()), facts, (from, known) => {
      const read = readSender(from, known)
      if (read !== from) expect(parsePhoneNumber(read)).toMatchObject({ e164: read })
      expect(readSender(read)).toBe(read === from ? readSender(from) : read)
      if (known.is === 'national' && (known.country ?? '') === '') expect(read).toBe(from)
      if (known.is === 'other') expect([from, `+${from}`]).toContain(read)
    }),
    { numRuns: 500 },
  )
})
