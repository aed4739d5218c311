import { expect, test } from 'vitest'
import { compareAddress, hookAddressOf } from '../../src/connectors/android/called-address.ts'
import { placeOf } from '../../src/process/own-address.ts'

/** Hosts as OkHttp writes them: the port is left out where it is that of the scheme (RFC 9110 section 7.2). */
test.each([
  ['https://sms.example.org', 'sms.example.org', 'same'],
  ['https://sms.example.org', 'SMS.example.org:443', 'same'],
  ['https://192.168.1.10:8443', '192.168.1.10:8443', 'same'],
  ['http://localhost:8160', '127.0.0.1:8160', 'same'],
  ['http://127.0.0.1:8160', '[::1]:8160', 'same'],
  ['https://192.168.1.10:8443', '192.168.1.10:8160', 'unclear'],
  ['https://sms.example.org', 'sms.example.org:80', 'unclear'],
  ['https://sms.example.org', '127.0.0.1:8160', 'unclear'],
  ['https://sms.example.org', 'onesixty:8160', 'unclear'],
  ['https://sms.example.org', undefined, 'unclear'],
  ['https://sms.example.org', 'a b', 'unclear'],
  ['https://sms.example.org', '192.168.1.10:8160', 'other'],
  ['http://localhost:8160', '192.168.1.10:8160', 'other'],
] as const)('%s that a client calls %s is %s', (address, host, how) => {
  expect(compareAddress(address, host)).toBe(how)
})

test.each([
  ['https://sms.example.org', '127.0.0.1:8160', 'same'],
  ['https://sms.example.org', 'onesixty', 'same'],
  ['https://sms.example.org', 'sms.example.org:8443', 'same'],
  ['https://sms.example.org', 'phones.example.org', 'other'],
  ['http://localhost:8160', '192.168.1.10:8160', 'own_machine'],
  ['http://localhost:8160', 'onesixty', 'own_machine'],
  ['http://localhost:8160', undefined, 'same'],
] as const)('hooks at %s of a phone that calls %s are %s', (address, host, how) => {
  expect(hookAddressOf(address, host)).toBe(how)
})

test('evidence is of a scheme, a host and a port, and all names of the local machine are one', () => {
  expect(placeOf('https://SMS.example.org:443/mobile/v1')).toBe('https://sms.example.org')
  expect(placeOf('https://[::1]:8160')).toBe(placeOf('https://localhost:8160/mobile/v1'))
  const places = ['http://a.example', 'https://a.example', 'https://b.example', 'https://a.example:8443']
  expect(new Set(places.map(placeOf)).size).toBe(4)
})
