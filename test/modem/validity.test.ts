import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeValidity, relativeValidity } from '../../src/connectors/modem/pdu/validity.ts'

const [minute, hour, day, week] = [60, 3600, 86_400, 604_800]

/** What a value of TP-VP means, as 3GPP TS 23.040, section 9.2.3.12.1, has it. */
function meaningOf(value: number): number {
  if (value <= 143) return (value + 1) * 5 * minute
  if (value <= 167) return 12 * hour + (value - 143) * 30 * minute
  if (value <= 196) return (value - 166) * day
  return (value - 192) * week
}

test('20: the validity of a PDU is the longest that is not longer than the rest of the message', () => {
  const all = Array.from({ length: 256 }, (_, value) => meaningOf(value))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 70 * week }), (seconds) => {
      const value = relativeValidity(seconds)
      const fitting = all.filter((each) => each <= seconds)
      expect(value === null ? undefined : meaningOf(value)).toBe(fitting.at(-1))
    }),
    { numRuns: 2_000 },
  )
  expect(all.map((seconds) => relativeValidity(seconds))).toEqual(Array.from({ length: 256 }, (_, i) => i))
})

test('20: below five minutes it is a time in UTC, cut to the second', () => {
  const nowMs = Date.UTC(2026, 10, 27, 22, 58, 41, 999)
  expect(encodeValidity('relative', 299, nowMs)).toEqual({
    format: 0x18,
    octets: Buffer.from('62117232300400', 'hex'),
  })
  expect(encodeValidity('relative', 300, nowMs)).toEqual({ format: 0x10, octets: Buffer.from([0]) })
  expect(encodeValidity('none', 300, nowMs)).toEqual({ format: 0, octets: Buffer.alloc(0) })
})
