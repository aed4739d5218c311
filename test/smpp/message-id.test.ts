import fc from 'fast-check'
import { expect, test } from 'vitest'
import { idModes, receiptedId, submittedId } from '../../src/smpp/values/message-id.ts'

/** A number as some SMSC writes it. */
const written = fc.record({
  number: fc.bigInt({ min: 0n, max: 2n ** 160n }),
  zeros: fc.nat(6),
  isCapital: fc.boolean(),
})
type Written = typeof written extends fc.Arbitrary<infer T> ? T : never

const inHex = ({ number, zeros, isCapital }: Written): string => {
  const digits = '0'.repeat(zeros) + number.toString(16)
  return isCapital ? digits.toUpperCase() : digits
}
const inDecimal = ({ number, zeros }: Written): string => '0'.repeat(zeros) + number.toString()
const readings = (id: string) => {
  const { networkId, alternatives = [] } = receiptedId(id, 'auto')
  return [networkId, ...alternatives]
}

test('hexadecimal in the answer and decimal in the receipt are one id, whatever zeros and letters', () => {
  fc.assert(
    fc.property(written, fc.nat(6), (id, zeros) => {
      const inReceipt = receiptedId(inDecimal({ ...id, zeros }), 'hex_to_decimal')
      expect(inReceipt).toEqual({ networkId: submittedId(inHex(id), 'hex_to_decimal') })
    }),
  )
})

test('decimal in the answer and hexadecimal in the receipt are one id', () => {
  fc.assert(
    fc.property(written, fc.nat(6), (id, zeros) => {
      const inReceipt = receiptedId(inHex({ ...id, zeros }), 'decimal_to_hex')
      expect(inReceipt).toEqual({ networkId: submittedId(inDecimal(id), 'decimal_to_hex') })
    }),
  )
})

test('auto finds an id in its own notation first, and in either other one', () => {
  fc.assert(
    fc.property(written, fc.nat(6), fc.boolean(), (id, zeros, isCapital) => {
      const other = { number: id.number, zeros, isCapital }
      expect(readings(inHex(other))[0]).toBe(submittedId(inHex(id), 'auto'))
      expect(readings(inDecimal(other))[0]).toBe(submittedId(inDecimal(id), 'auto'))
      expect(readings(inDecimal(other))).toContain(submittedId(inHex(id), 'auto'))
      expect(readings(inHex(other))).toContain(submittedId(inDecimal(id), 'auto'))
    }),
  )
})

test('readings are never repeated, and modes that are sure have one', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), fc.constantFrom(...idModes), (id, mode) => {
      const { networkId, alternatives = [] } = receiptedId(id, mode)
      const all = [networkId, ...alternatives]
      expect(new Set(all).size).toBe(all.length)
      if (mode !== 'auto') expect(alternatives).toEqual([])
    }),
  )
})

test('ids above 2^53 keep every digit', () => {
  expect(submittedId('7FFFFFFFFFFFFFFF', 'hex_to_decimal')).toBe('9223372036854775807')
  expect(readings('9223372036854775807')).toEqual([
    '9223372036854775807',
    '7fffffffffffffff',
    String(0x9223372036854775807n),
  ])
})

test('exact keeps case and zeros, and lets go of blanks alone', () => {
  expect(submittedId(' 00Ab ', 'exact')).toBe('00Ab')
  expect(receiptedId('00Ab', 'exact')).toEqual({ networkId: '00Ab', anyCase: true })
})

test('ids that are no numbers are compared without case', () => {
  const id = '0BA7B810-9DAD-11D1-80B4-00C04FD430C8'
  for (const mode of ['auto', 'hex_to_decimal', 'decimal_to_hex'] as const) {
    expect(submittedId(id, mode)).toBe(id.toLowerCase())
    expect(receiptedId(id.toLowerCase(), mode)).toEqual({ networkId: id.toLowerCase() })
  }
})

test('zero is an id, and an empty one stays empty', () => {
  expect(submittedId('000', 'auto')).toBe('0')
  expect(readings('0')).toEqual(['0'])
  expect(submittedId('', 'auto')).toBe('')
})

test('0x in front is notation', () => {
  expect(submittedId('0x1F', 'hex_to_decimal')).toBe('31')
  expect(submittedId('0X1F', 'auto')).toBe(submittedId('1f', 'auto'))
})
