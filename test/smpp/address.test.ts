import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type AddressSettings,
  destinationAddress,
  senderFault,
  sourceAddress,
} from '../../src/smpp/values/address.ts'

const found: AddressSettings = { sourceTon: null, sourceNpi: null, destinationTon: null, destinationNpi: null, defaultSender: '' } // prettier-ignore

test('a recipient is an international number without its plus sign', () => {
  expect(destinationAddress('+491701234567', found)).toEqual({ ton: 1, npi: 1, address: '491701234567' })
})

test('the type of a sender is found out from its form', () => {
  expect(sourceAddress('+491701234567', found)).toEqual({ ton: 1, npi: 1, address: '491701234567' })
  expect(sourceAddress('70123', found)).toEqual({ ton: 3, npi: 0, address: '70123' })
  expect(sourceAddress('onesixty', found)).toEqual({ ton: 5, npi: 0, address: 'onesixty' })
})

test('what the link forces goes before what is found out', () => {
  const forced = { ...found, sourceTon: 0, sourceNpi: 1, destinationTon: 2, destinationNpi: 8 }
  expect(sourceAddress('70123', forced)).toEqual({ ton: 0, npi: 1, address: '70123' })
  expect(destinationAddress('+491701234567', forced)).toEqual({ ton: 2, npi: 8, address: '491701234567' })
})

test('a message without a sender has that of the link, else none', () => {
  expect(sourceAddress(null, { ...found, defaultSender: '70123' })).toEqual({
    ton: 3,
    npi: 0,
    address: '70123',
  })
  expect(sourceAddress('Own', { ...found, defaultSender: '70123' }).address).toBe('Own')
  expect(sourceAddress(null, found)).toEqual({ ton: 0, npi: 0, address: '' })
})

test('an at sign in a name is an at sign of ASCII, not the septet 0 that would end the name', () => {
  expect(sourceAddress('me@home', found).address).toBe('me@home')
})

test('a name that ASCII cannot carry, or that is too long, is refused', () => {
  for (const name of ['Кафе', 'café', 'a\u0000b', '😀', 'abcdefghijkl', ' abc', 'abc ', '', '--', '12', '123456789'])
    expect(senderFault(name), name).not.toBeNull()
  expect(() => sourceAddress('café', found)).toThrow('ASCII')
}) // prettier-ignore

test('every sender that a message may name has an address of ASCII octets, not empty and not cut', () => {
  const name = fc
    .stringMatching(/^[ -~]{1,11}$/)
    .filter((text) => /[A-Za-z]/.test(text) && text.trim() === text)
  const number = fc.stringMatching(/^\+[1-9][0-9]{6,14}$/)
  const shortCode = fc.stringMatching(/^[0-9]{3,8}$/)
  fc.assert(
    fc.property(fc.oneof(name, number, shortCode), (sender) => {
      expect(senderFault(sender)).toBeNull()
      expect(`+${sourceAddress(sender, found).address}`.endsWith(sender)).toBe(true)
    }),
  )
})
