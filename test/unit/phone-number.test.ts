import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { getExampleNumber, parsePhoneNumberFromString, validatePhoneNumberLength, type CountryCode } from 'libphonenumber-js/max' // prettier-ignore
import examples from 'libphonenumber-js/mobile/examples'
import metadata from 'libphonenumber-js/max/metadata'
import { expect, test } from 'vitest'
import { readInternationalNumber } from '../../src/numbers/numbering-plan.ts'
import { presentSpelling } from '../../src/numbers/number-changes.ts'
import { maskPhoneNumber, parsePhoneNumber } from '../../src/numbers/phone-number.ts'

const CALLING_CODES = [...Object.keys(metadata.country_calling_codes), ...Object.keys(metadata.nonGeographic)]
const SHARED_CODES = Object.entries(metadata.country_calling_codes).flatMap(([code, countries]) =>
  countries.length > 1 ? [code] : [],
)

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max, size: 'max' })

/** Well-written numbers of every calling code, with and without trunk prefixes, and of none. */
const writtenNumber = fc
  .tuple(
    fc.oneof(fc.constantFrom(...CALLING_CODES), fc.constantFrom(...SHARED_CODES), digits(1, 3)),
    fc.constantFrom('', '', '0', '1', '8', '06', '015', '90', '180020'),
    digits(2, 13),
  )
  .map((parts) => `+${parts.join('')}`)
  .filter((number) => /^\+[1-9][0-9]{6,14}$/.test(number))

test('reads every number as the library does', () => {
  fc.assert(
    fc.property(writtenNumber, (number) => {
      expectSameReading(number)
    }),
    { numRuns: 20_000 },
  )
})

test('reads numbers of all first three digits of all shared calling codes as the library does', () => {
  for (const code of SHARED_CODES) {
    for (let prefix = 0; prefix < 1000; prefix++) {
      const number = `+${code}${String(prefix).padStart(3, '0')}5550123`.slice(0, code.length + 11)
      expectSameReading(number)
    }
  }
})

test('accepts exactly what the library finds possible or too long and would write the same, short numbers apart', () => {
  const seen = { accepted: 0, overlong: 0, refused: 0 }
  fc.assert(
    fc.property(writtenNumber, (number) => {
      const library = parsePhoneNumberFromString(number)
      const sameSpelling = library?.number === number
      const short = (library?.nationalNumber.length ?? 0) <= 6 && library?.getType() === undefined
      fc.pre(!short)
      const isOverlong = sameSpelling && validatePhoneNumberLength(number) === 'TOO_LONG'
      // Such as +52 1 55…, which is refused with its present spelling.
      fc.pre(!isOverlong || presentSpelling(number) === number)
      const parsed = parsePhoneNumber(number)
      seen['fault' in parsed ? 'refused' : parsed.isOverlong ? 'overlong' : 'accepted']++
      expect('e164' in parsed).toBe(sameSpelling && (library.isPossible() || isOverlong))
      expect('isOverlong' in parsed).toBe(isOverlong)
    }),
    { numRuns: 5_000 },
  )
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(300)
})

test.each([
  ['+47580009083060', 'NO'],
  ['+371300000000012', 'LV'],
  ['+337000011564653', 'FR'],
  ['+121255501234', null],
])('takes %s, which is longer than its plan knows, and says so', (e164, country) => {
  expect(parsePhoneNumber(e164)).toEqual({ e164, country, kind: 'unknown', isOverlong: true })
})

test('of what is written untidily none is suggested that is longer than its plan knows', () => {
  for (const raw of ['+47 580009083060', '+47 91234567 12', '0047580009083060', '1 212 555 01234'])
    expect(parsePhoneNumber(raw)).toMatchObject({ fault: 'invalid_format', suggestion: null })
})

test('accepts an example of a mobile number of every country', () => {
  const countries = Object.keys(metadata.countries) as CountryCode[]
  const numbers = countries.flatMap((country) => getExampleNumber(country, examples)?.number ?? [])
  expect(numbers.length).toBeGreaterThan(240)
  for (const e164 of numbers) {
    expect(parsePhoneNumber(e164)).toMatchObject({ e164, kind: expect.stringMatching(/mobile|unknown/) })
  }
})

test.each([
  ['+4915112345678', 'DE', 'mobile'],
  ['+493012345678', 'DE', 'fixed'],
  ['+12125550123', 'US', 'unknown'],
  ['+14165550123', 'CA', 'unknown'],
  ['+18765550123', 'JM', 'mobile'],
  ['+447400123456', 'GB', 'mobile'],
  ['+447911123456', 'GG', 'mobile'],
  ['+447700900123', null, 'unknown'],
  ['+447624123456', 'IM', 'mobile'],
  ['+79161234567', 'RU', 'mobile'],
  ['+77011234567', 'KZ', 'mobile'],
  ['+390612345678', 'IT', 'fixed'],
  ['+390669812345', 'VA', 'fixed'],
  ['+883510012345678', null, 'fixed'],
  ['+881612345678', null, 'mobile'],
  ['+499001123456', 'DE', 'premium'],
  ['+15005550006', 'US', 'fixed'],
])('knows %s as a number of %s, %s', (e164, country, kind) => {
  expect(parsePhoneNumber(e164)).toEqual({ e164, country, kind })
})

test.each([
  ['+49 151 12345678', '+4915112345678'],
  ['+49 (0)151 / 123-456 78', '+4915112345678'],
  ['(+49) 151.12345678', '+4915112345678'],
  ['004915112345678', '+4915112345678'],
  ['+004915112345678', '+4915112345678'],
  [' +4915112345678\n', '+4915112345678'],
  ['\u202a+49 151 1234\u20115678\u202c', '+4915112345678'],
  ['＋４９１５１１２３４５６７８', '+4915112345678'],
  ['+44 (0)20 7946 0958', '+442079460958'],
  ['+39 (0)6 12345678', '+390612345678'],
  ['+٤٩١٥١١٢٣٤٥٦٧٨', '+4915112345678'],
  ['+۴۹ ۱۵۱ ۱۲۳۴۵۶۷۸', '+4915112345678'],
  ['+४९१५११२३४५६७८', '+4915112345678'],
  ['4915112345678', '+4915112345678'],
  [' 4915112345678', '+4915112345678'],
  ['49 151 / 12345678', '+4915112345678'],
  ['tel:+4915112345678', '+4915112345678'],
  ['TEL:+49-151-12345678', '+4915112345678'],
  ['sms:+4915112345678', '+4915112345678'],
])('refuses %j as written, and suggests %s', (raw, suggestion) => {
  expect(parsePhoneNumber(raw)).toMatchObject({ fault: 'invalid_format', suggestion })
})

test.each([
  '',
  '+',
  '112',
  '+112',
  '+49110',
  '015112345678',
  '15112345678',
  // 11 digits without a plus may be a national number of 1, 49 or 86.
  '13124567890',
  '3125550144',
  '6025550144',
  '+4915112345678 ext 5',
  '+4915112345678²',
  '+4915112345678 ①',
  '+491511234567⁸',
  '+4915112345678 [1]',
  '+4915112345678 (2)',
  '+4915112345678（２）',
  '+4915112345678/79',
  'tel:+4915112345678;ext=5',
  'tel:015112345678;phone-context=+49',
  'tel:015112345678',
  '+49151CALLNOW',
  '+4915112345678,+4915112345679',
  '+49151123456789012',
  '+0151 12345678',
  '+4915112345678²',
  '+4915112345678①',
  '+1 555',
  `+49${' '.repeat(1_000_000)}15112345678`,
])('refuses %j, with nothing to suggest', (raw) => {
  expect(parsePhoneNumber(raw)).toMatchObject({ fault: 'invalid_format', suggestion: null })
})

test('digits of every script are read as the digits that they are', () => {
  const zeros = Array.from({ length: 0x20000 }, (_, code) => code).filter(
    (code) => /\p{Nd}/u.test(String.fromCodePoint(code)) && !/\p{Nd}/u.test(String.fromCodePoint(Math.max(0, code - 1))),
  )
  expect(zeros.length).toBeGreaterThan(60)
  for (const zero of zeros) {
    const written = [...'4915112345678'].map((digit) => String.fromCodePoint(zero + Number(digit))).join('')
    expect(parsePhoneNumber(`+ ${written}`), zero.toString(16)).toMatchObject({ suggestion: '+4915112345678' })
  }
}) // prettier-ignore

test.each([
  ['+9991234567', /calling code/],
  ['+1212555012', /too short/],
  ['+4412345678', /this length/],
  ['+49116117', /[Ee]mergency/],
  ['+4919222', /[Ee]mergency/],
])('refuses %s, a number that cannot be', (raw, sentence) => {
  const parsed = parsePhoneNumber(raw)
  expect(parsed).toMatchObject({ fault: 'invalid_number', suggestion: null })
  expect('detail' in parsed && parsed.detail).toMatch(sentence)
})

test('refuses a trunk prefix inside a number, which would make two spellings of one recipient', () => {
  expect(parsePhoneNumber('+49015112345678')).toMatchObject({
    fault: 'invalid_number',
    suggestion: '+4915112345678',
  })
  // Without it, it would be one that is longer than its plan knows.
  for (const raw of ['+330700001156465', '+1121255501234'])
    expect(parsePhoneNumber(raw)).toMatchObject({ fault: 'invalid_number', suggestion: null })
})

test('keeps the few digits of small places, in ranges yet unknown too, and the short fixed lines of large ones', () => {
  for (const e164 of ['+298111234', '+29022158', '+49301234']) {
    expect(parsePhoneNumber(e164)).toMatchObject({ e164 })
  }
})

test('what it suggests it accepts, and its sentences never repeat the number', () => {
  const untidy = fc.tuple(
    fc.constantFrom('+', '00', '(+', ' +'),
    writtenNumber,
    fc.constantFrom('', ' ', '-', ')'),
  )
  fc.assert(
    fc.property(untidy, ([start, number, gap]) => {
      const parsed = parsePhoneNumber(`${start}${number.slice(1, 5)}${gap}${number.slice(5)}`)
      if (!('fault' in parsed)) return
      expect(parsed.detail).not.toMatch(/[0-9]{4}/)
      if (parsed.suggestion !== null)
        expect(parsePhoneNumber(parsed.suggestion)).toMatchObject({ e164: parsed.suggestion })
    }),
    { numRuns: 2_000 },
  )
})

test('a number has 15 digits at most, also where longer ones than the plan knows are accepted', () => {
  expect(parsePhoneNumber('+475800090830601')).toMatchObject({ e164: '+475800090830601', isOverlong: true })
  expect(parsePhoneNumber('+4758000908306012')).toMatchObject({ fault: 'invalid_format' })
})

test('a masked number shows its calling code and two digits at most', () => {
  expect(maskPhoneNumber('+4915112345678')).toBe('+49***78')
  expect(maskPhoneNumber('+12125550123')).toBe('+1***23')
  for (const other of ['', '+9991234567', '015112345678', '+49 151 12345678'])
    expect(maskPhoneNumber(other)).toBe('+***')
})

/** `expect` alone would take as long as both readings of tens of thousands. */
function expectSameReading(number: string): void {
  const [ours, theirs] = [reading(number), libraryReading(number)]
  if (!isDeepStrictEqual(ours, theirs)) expect(ours).toEqual(theirs)
}

function reading(number: string) {
  const found = readInternationalNumber(number)
  if (found === null || found.nationalNumber.length < 2) return null
  const { callingCode, nationalNumber, country, length, lineType } = found
  return { callingCode, nationalNumber, country, possible: length === 'possible', lineType }
}

function libraryReading(number: string) {
  const found = parsePhoneNumberFromString(number)
  if (found === undefined) return null
  return {
    callingCode: found.countryCallingCode,
    nationalNumber: found.nationalNumber,
    country: found.country ?? null,
    possible: found.isPossible(),
    lineType: found.getType() ?? null,
  }
}
