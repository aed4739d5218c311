import fc from 'fast-check'
import { expect, test } from 'vitest'
import { presentSpelling } from '../../src/numbers/number-changes.ts'
import { parsePhoneNumber, withoutSeparators } from '../../src/numbers/phone-number.ts'
import { possibleSenders, parseSender } from '../../src/numbers/sender-number.ts'

const mobile = '+4915112345678'

test.for([
  ['says so itself', mobile, {}],
  ['has 00 in the place of the plus', '004915112345678', {}],
  ['is written with blanks', '+49 151 12345678', { country: 'DE' }],
  ['is written with 00 and blanks', '0049 151 12345678', { country: 'DE' }],
  ['is written with brackets, dashes and a slash', '(0151) 12-345/678', { country: 'DE' }],
  ['is written with hyphens that do not break', '+49\u2011151\u201112345678', {}],
  ['is written in full width', '＋４９１５１１２３４５６７８', {}],
  ['has marks of direction around it', '\u202a+49 151 12345678\u202c', {}],
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
  expect(parseSender(from, facts)).toBe(mobile)
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
  ['3125550144', { is: 'bare', country: 'US' }, '+13125550144'],
  ['0612345678', { is: 'bare', country: 'NL' }, '+31612345678'],
  ['01149 151 12345678', { is: 'bare', country: 'US' }, '+4915112345678'],
  ['0104915112345678', { country: 'JP' }, '+4915112345678'],
  ['8104915112345678', { is: 'national', country: 'RU' }, '+4915112345678'],
  // The calling code and the prefix that is dialled within its country, both, as people write it (floere/phony#185, chobbledotcom/tickets#637).
  ['49015112345678', {}, mobile],
  ['49015112345678', { country: 'DE' }, mobile],
  ['49 (0)151 12345678', { country: 'NL' }, mobile],
  ['4407911123456', { country: 'DE' }, '+447911123456'],
  ['310612345678', {}, '+31612345678'],
  // SIMs of machines have numbers that are longer than their plans know.
  ['+47 580 009 083 060', {}, '+47580009083060'],
  ['00371300000000012', {}, '+371300000000012'],
] as const)('%s, of %j, is %s', ([from, facts, number]) => {
  expect(parseSender(from, facts)).toBe(number)
})

test.for([
  ['is national, of a country that nobody has named', '15112345678', { is: 'national' }],
  [
    'is told by a phone without its plus, and could be the international one of somebody else',
    '3125550144',
    { is: 'bare' },
  ],
  ['is national, and could be the international one of somebody else', '2079460000', { is: 'national' }],
  ['is national, and has the prefix that is dialled in its country', '015112345678', {}],
  [
    'is called special, and would be one in the country of the link alone',
    '15112345678',
    { is: 'other', country: 'DE' },
  ],
  ['is called special, and is as short as such codes are', '44123456', { is: 'other', country: 'GB' }],
  [
    'has digits of which nothing is told, and would be longer than the plan of their calling code',
    '47912345678',
    {},
  ],
  ['is called special, and would be so', '47580009083060', { is: 'other' }],
  ['is a short code', '22333', { country: 'DE' }],
  ['is a name', 'ACME', { country: 'DE' }],
  ['is of no length that its country has', '49151', {}],
  ['begins with a calling code that there is not', '9991234567', {}],
  ['is of a country that there is not', '15112345678', { is: 'national', country: 'ZZ' }],
  ['says itself that it is international, and has a prefix that is dialled within its country', '+49015112345678', {}], // prettier-ignore
  ['is national, and has both its calling code and the prefix that is dialled there', '49015112345678', { is: 'national' }], // prettier-ignore
  ['is a fixed line with both', '49030123456', {}],
  ['has 00 before the calling code and 0 behind it', '0049015112345678', { country: 'DE' }],
  ['has the sign of a footnote', '+4915112345678²', {}],
  ['is longer than any number', `+${' '.repeat(80)}4915112345678`, {}],
  ['is empty', '', {}],
] as const)('what %s stays as it came', ([, from, facts]) => {
  expect(parseSender(from, facts)).toBe(from)
})

/** Spelled as people, phones and networks do, trunk prefixes among them. */
const spelled = fc
  .tuple(
    fc.stringMatching(/^(?:\+|00)?$/),
    fc.oneof(fc.stringMatching(/^\d{0,17}$/), fc.stringMatching(/^(?:49|1|44|7|39|55|52|225)(?:0|1|8)?(?:15|20|79|91|32|11|55|07)\d{6,9}$/)),
    fc.array(fc.tuple(fc.nat({ max: 17 }), fc.constantFrom(' ', '-', '(', ')', '\u2011', '/')), { maxLength: 3 }),
  )
  .map(([prefix, digits, gaps]) => gaps.reduce((text, [at, gap]) => text.slice(0, at) + gap + text.slice(at), `${prefix}${digits}`)) // prettier-ignore

const facts = fc.record({
  is: fc.constantFrom(undefined, 'national' as const, 'bare' as const, 'other' as const),
  country: fc.constantFrom(null, 'DE', 'US', 'IT', 'RU', 'BR', 'GB', ''),
})

test('whatever comes, it stays as it is or becomes a number that can be written to, and that stays', () => {
  fc.assert(
    fc.property(fc.oneof(spelled, fc.string()), facts, (from, known) => {
      const read = parseSender(from, known)
      if (read !== from) expect(parsePhoneNumber(read)).toMatchObject({ e164: read })
      expect(parseSender(read)).toBe(read === from ? parseSender(from) : read)
    }),
    { numRuns: 2_000 },
  )
})

test('what says itself to be international is read whole or not at all, whatever else is said of it', () => {
  fc.assert(
    fc.property(spelled, facts, (from, known) => {
      const digits = withoutSeparators(from)
      const read = parseSender(from, known)
      if (digits.startsWith('+')) expect([from, digits, presentSpelling(digits)]).toContain(read)
      else if (known.is === 'other')
        expect([from, `+${digits}`, presentSpelling(`+${digits}`)]).toContain(read)
      else if (known.is !== undefined && (known.country ?? '') === '') expect(read).toBe(from)
      else if (known.is === undefined && digits.startsWith('00'))
        expect([from, `+${digits.slice(2)}`, presentSpelling(`+${digits.slice(2)}`)]).toContain(read)
    }),
    { numRuns: 2_000 },
  )
})

test('a national number may be any that ends so, behind its trunk prefix, and is among those that it may be', () => {
  const numbers = fc.constantFrom('+4915112345678', '+13125550144', '+79161234567', '+393123456789', '+36201234567', '+4520123456') // prettier-ignore
  const trunks: Record<string, string> = { '+49': '0', '+13': '1', '+79': '8', '+39': '', '+36': '06', '+45': '' }
  const codes: Record<string, number> = { '+13': 2, '+79': 2 }
  fc.assert(
    fc.property(numbers, fc.boolean(), fc.constantFrom('national' as const, 'bare' as const), (number, withTrunk, is) => {
      const start = number.slice(0, 3)
      const national = number.slice(codes[start] ?? 3)
      const said = `${withTrunk ? trunks[start] : ''}${national}`
      const possible = possibleSenders(said, is)
      expect(possible).toContain(number)
      for (const each of possible) expect(parsePhoneNumber(each)).toMatchObject({ e164: each })
      if (is === 'bare' && 'e164' in parsePhoneNumber(`+${said}`)) expect(possible).toContain(`+${said}`)
    }),
  )
  expect(possibleSenders('47580009083060', 'bare')).toContain('+47580009083060')
  expect(possibleSenders('47912345678', 'national')).not.toContain('+4747912345678')
  expect(possibleSenders('2079460000', 'national')).not.toContain('+2079460000')
  for (const none of ['ACME', '22', '+4915112345678', '1'.repeat(30)]) expect(possibleSenders(none, 'bare')).toEqual([])
}) // prettier-ignore

test('what has more than 64 characters is no number, whatever stands between its digits', () => {
  const number = `${' '.repeat(51)}4915112345678`
  expect([parseSender(number), parseSender(` ${number}`)]).toEqual(['+4915112345678', ` ${number}`])
  expect(possibleSenders(number, undefined)).toEqual(['+4915112345678'])
  expect(possibleSenders(` ${number}`, undefined)).toEqual([])
})

test('where numbers have four digits, as on Niue, four are a number, and three are none', () => {
  expect(parseSender('4002', { country: 'NU' })).toBe('+6834002')
  expect(parseSender('400', { country: 'NU' })).toBe('400')
})
