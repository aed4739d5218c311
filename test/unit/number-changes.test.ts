import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everySpelling, presentSpelling } from '../../src/numbers/number-changes.ts'
import { parsePhoneNumber } from '../../src/numbers/phone-number.ts'
import { parseSender } from '../../src/numbers/sender-number.ts'

/** [former, present]: of each row of the table. */
const twins = [
  ['+5215512345678', '+525512345678'],
  ['+541123456789', '+5491123456789'],
  ['+543514123456', '+5493514123456'],
  ['+551198765432', '+5511998765432'],
  ['+555381234567', '+5553981234567'],
  ['+22501234567', '+2250101234567'],
  ['+22545123456', '+2250545123456'],
  ['+22507123456', '+2250707123456'],
  ['+22998123456', '+2290198123456'],
] as const

test.for(twins)('%s is %s today, and both are every spelling of either', ([former, present]) => {
  for (const each of [former, present]) {
    expect(presentSpelling(each)).toBe(present)
    expect(everySpelling(each)).toEqual([present, former])
  }
  expect(parsePhoneNumber(present)).toMatchObject({ e164: present })
})

test.for([
  ['a fixed line of Brazil', '+551132345678'],
  ['eight digits of Nextel, which never got the ninth', '+551178765432'],
  ['nine digits that no eight became', '+5511978765432'],
  ['a new number of Ivory Coast whose rest is of another operator', '+2250745123456'],
  ['a fixed line of Ivory Coast', '+2252722123456'],
  ['a range of Ivory Coast that was nobody’s', '+22562123456'],
  ['a number with too many digits', '+52155123456789'],
  ['a mobile number elsewhere', '+4915112345678'],
  ['a test number', '+15005550006'],
  ['a hash', 'hash:525512345678'],
  ['a name', 'ACME'],
] as const)('%s has one spelling', ([, number]) => {
  expect(everySpelling(number)).toEqual([number])
})

const likely = fc.tuple(fc.constantFrom('52', '521', '54', '549', '55', '225', '22501', '22505', '22507', '229', '22901', '49'), fc.stringMatching(/^[0-9]{7,11}$/)).map((each) => `+${each.join('')}`) // prettier-ignore

test('spellings are pairs: whichever is asked for, the same two come, and one of them is the present one', () => {
  fc.assert(
    fc.property(fc.oneof(likely, fc.string()), (number) => {
      const spellings = everySpelling(number)
      expect(spellings).toContain(number)
      expect(new Set(spellings).size).toBe(spellings.length)
      for (const each of spellings) {
        expect(everySpelling(each)).toEqual(spellings)
        expect(presentSpelling(each)).toBe(spellings[0])
        expect(each.slice(-7)).toBe(number.slice(-7))
      }
    }),
    { numRuns: 5_000 },
  )
})

test('a former spelling that no plan has any more is refused with the present one, and as a sender it is that', () => {
  const seen = { refused: 0 }
  fc.assert(
    fc.property(fc.oneof(likely, fc.constantFrom(...twins.flat())), (number) => {
      const present = presentSpelling(number)
      const parsed = parsePhoneNumber(number)
      fc.pre(present !== number && 'e164' in parsePhoneNumber(present))
      const isTaken = 'e164' in parsed
      if (!isTaken) {
        seen.refused++
        expect(parsed).toMatchObject({ fault: 'invalid_number', suggestion: present, detail: expect.stringMatching(/before its country changed/) }) // prettier-ignore
      }
      expect(parseSender(number)).toBe(isTaken ? number : present)
    }),
    { numRuns: 2_000 },
  )
  expect(seen.refused).toBeGreaterThan(100)
})

test('what is written untidily in a former spelling is suggested in the present one', () => {
  for (const raw of ['0052 1 55 1234-5678', '+52 1 55 1234 5678'])
    expect(parsePhoneNumber(raw)).toMatchObject({ fault: 'invalid_format', suggestion: '+525512345678' })
  expect(parsePhoneNumber('+55 11 9876-5432')).toMatchObject({ suggestion: '+5511998765432' })
})

test('a number of Argentina is suggested as it was written, since without the 9 it may be a fixed line', () => {
  for (const [raw, suggestion] of [
    ['+54 11 4321-0000', '+541143210000'],
    ['+54 9 11 4321-0000', '+5491143210000'],
  ] as const)
    expect(parsePhoneNumber(raw)).toMatchObject({ suggestion })
})
