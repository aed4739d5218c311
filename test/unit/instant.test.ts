import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseInstant } from '../../src/runtime/instant.ts'

test.for([
  ['2026-11-21T09:30:00+0200', '2026-11-21T09:30:00+02:00'],
  ['2026-11-21T09:30:00-0330', '2026-11-21T09:30:00-03:30'],
  ['2026-11-21T09:30:00+02', '2026-11-21T09:30:00+02:00'],
  ['2026-11-21T09:30:00.125+0200', '2026-11-21T09:30:00.125+02:00'],
  ['2026-11-21 09:30:00Z', '2026-11-21T09:30:00Z'],
  ['2026-11-21 09:30:00 +02:00', '2026-11-21T09:30:00+02:00'],
  ['2026-11-21T09:30Z', '2026-11-21T09:30:00Z'],
  // A plus in an address that was not written as %2B.
  ['2026-11-21T09:30:00 02:00', '2026-11-21T09:30:00+02:00'],
  ['2026-11-21T09:30:00', '2026-11-21T09:30:00Z'],
])('%s is refused, and %s is suggested', ([given = '', suggestion]) => {
  expect(parseInstant(given)).toMatchObject({ suggestion })
})

test.for(['2026-11-21', '2026-02-30T09:30:00+0200', '21.11.2026 09:30', '2026-11-21T09:30:00 CET', '2026-11-21T25:00Z', 'tomorrow', ''])(
  '%s is refused, with nothing to suggest',
  (given) => {
    expect(parseInstant(given)).toEqual({ detail: expect.stringMatching(/^Must be a date and time by RFC 3339/) })
  },
) // prettier-ignore

test('what is suggested is taken, and is the same time', () => {
  const zone = fc.tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 14 }), fc.constantFrom('00', '30', '45'))
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('2099-12-31'), noInvalidDate: true }), zone, (at, [sign, hours, minutes]) => {
      const hh = String(hours).padStart(2, '0')
      const local = at.toISOString().slice(0, 23)
      const read = parseInstant(`${local}${sign}${hh}${minutes}`) as { suggestion: string }
      expect(parseInstant(read.suggestion)).toBe(parseInstant(`${local}${sign}${hh}:${minutes}`))
      expect(typeof parseInstant(read.suggestion)).toBe('number')
    }),
  )
}) // prettier-ignore
