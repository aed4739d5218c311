import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rfc3339 } from '../../src/runtime/clock.ts'

const latestMs = 8.64e15
const instants = fc.oneof(
  fc.integer({ min: 0, max: 4e12 }),
  fc.integer({ min: -latestMs, max: latestMs }),
  fc.constantFrom(-1, 0, 1.5, 86_399_999, 86_400_000),
)

test('every instant is written as Date writes it, in any order', () => {
  fc.assert(
    fc.property(fc.array(instants), (all) => {
      expect(all.map(rfc3339)).toEqual(all.map((atMs) => new Date(atMs).toISOString()))
    }),
  )
})

test.for([Number.NaN, latestMs + 1])('%s is no instant', (atMs) => {
  expect(() => rfc3339(atMs)).toThrow(RangeError)
})
