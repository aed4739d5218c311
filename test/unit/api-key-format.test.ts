import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mintApiKey, parseApiKey } from '../../src/accounts/keys/api-key-format.ts'
import { scalarValue } from '../scalar-value.ts'

const anyMode = fc.constantFrom('live' as const, 'test' as const)
const mint = (mode: 'live' | 'test') => mintApiKey({ mode, randomBytes: (count) => randomBytes(count) })

test('a minted key is read back with its mode and the hash that was stored', () => {
  fc.assert(
    fc.property(anyMode, (mode) => {
      const { token, hash, lastFour } = mint(mode)
      expect(token).toMatch(new RegExp(`^onesixty_${mode}_[0-9A-Za-z]{49}$`))
      expect(parseApiKey(token)).toEqual({ mode, hash })
      expect(hash).toMatch(/^[0-9a-f]{64}$/)
      expect(token.endsWith(lastFour)).toBe(true)
    }),
  )
})

test('a key with one character changed is refused', () => {
  const character = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
  fc.assert(
    fc.property(anyMode, fc.nat(62), character, (mode, index, other) => {
      const { token } = mint(mode)
      const changed = token.slice(0, index) + other + token.slice(index + 1)
      fc.pre(changed !== token)
      expect(parseApiKey(changed)).toBeNull()
    }),
    { numRuns: 2_000 },
  )
})

test('two neighbouring characters swapped, a cut key and a key with more behind it are refused', () => {
  fc.assert(
    fc.property(anyMode, fc.integer({ min: 14, max: 61 }), (mode, index) => {
      const { token } = mint(mode)
      const swapped = token.slice(0, index) + token[index + 1] + token[index] + token.slice(index + 2)
      if (swapped !== token) expect(parseApiKey(swapped)).toBeNull()
      expect(parseApiKey(token.slice(0, -1))).toBeNull()
      expect(parseApiKey(`${token}x`)).toBeNull()
      expect(parseApiKey(`${token}\n`)).toBeNull()
    }),
  )
})

test('no text whatever is taken for a key by accident', () => {
  fc.assert(
    fc.property(fc.string({ unit: scalarValue, maxLength: 80 }), (text) => parseApiKey(text) === null),
  )
})

test('the checksum is the CRC-32 in base62, so that secret scanners elsewhere can know a key', () => {
  // A byte of 0 gives the character 0.
  const { token } = mintApiKey({ mode: 'live', randomBytes: (count) => new Uint8Array(count) })
  expect(token).toBe(`onesixty_live_${'0'.repeat(43)}${checksumByHand(`onesixty_live_${'0'.repeat(43)}`)}`)
})

test('every character is equally likely: bytes above the last multiple of 62 are thrown away', () => {
  const firstCharacterOf = (byte: number): string => {
    let first = true
    const oneByteThenZ = (count: number): Uint8Array => {
      const bytes = new Uint8Array(count).fill(61)
      if (first) bytes[0] = byte
      first = false
      return bytes
    }
    return mintApiKey({ mode: 'live', randomBytes: oneByteThenZ }).token.charAt(14)
  }
  const kept = Array.from({ length: 248 }, (_, byte) => firstCharacterOf(byte))
  const counts = Map.groupBy(kept, (character) => character)
  expect([...counts.values()].map((each) => each.length)).toEqual(Array.from({ length: 62 }, () => 4))
  const thrownAway = Array.from({ length: 8 }, (_, i) => firstCharacterOf(248 + i))
  expect(thrownAway).toEqual(Array.from({ length: 8 }, () => 'z'))
})

/** CRC-32 (IEEE 802.3, reflected) bit by bit, in six base62 digits. */
function checksumByHand(text: string): string {
  let crc = 0xffffffff
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  let rest = BigInt((crc ^ 0xffffffff) >>> 0)
  let out = ''
  for (let i = 0; i < 6; i++, rest /= 62n) {
    out = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.charAt(Number(rest % 62n)) + out
  }
  return out
}
