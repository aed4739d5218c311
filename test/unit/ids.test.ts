import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createIds, idWith, isId, lowestIdAt, timeOfId } from '../../src/runtime/ids.ts'

test('an id tells when it was made', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 48 - 1 }), (atMs) => {
      expect(timeOfId(createIds({ now: () => atMs })('msg'))).toBe(atMs)
      expect(timeOfId(lowestIdAt('msg', atMs))).toBe(atMs)
    }),
  )
})

test('an id whose chance is given is a UUIDv7 with that chance in it', () => {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
  const time = fc.integer({ min: 1, max: 2 ** 48 - 1 })
  fc.assert(
    fc.property(time, fc.uint8Array({ minLength: 10, maxLength: 32 }), (atMs, chance) => {
      const id = idWith('evt', atMs, chance)
      expect(isId('evt', id)).toBe(true)
      expect(timeOfId(id)).toBe(atMs)
      const bits = id
        .slice(14)
        .split('')
        .reduce((sum, letter) => sum * 32n + BigInt(alphabet.indexOf(letter)), 0n)
      const bytes = Array.from({ length: 10 }, (_, i) => Number((bits >> BigInt(8 * (9 - i))) & 255n))
      expect([bytes[0]! >> 4, bytes[2]! >> 6]).toEqual([7, 2])
      const free = (all: ArrayLike<number>) =>
        Array.from({ length: 10 }, (_, i) => all[i]! & (i === 0 ? 0x0f : i === 2 ? 0x3f : 0xff))
      expect(free(bytes)).toEqual(free(chance))
    }),
  )
})
