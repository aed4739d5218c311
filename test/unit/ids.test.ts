import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createIds, lowestIdAt, timeOfId } from '../../src/ids.ts'

test('an id tells when it was made', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 48 - 1 }), (atMs) => {
      expect(timeOfId(createIds({ now: () => atMs })('msg'))).toBe(atMs)
      expect(timeOfId(lowestIdAt('msg', atMs))).toBe(atMs)
    }),
  )
})
