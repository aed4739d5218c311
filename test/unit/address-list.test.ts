import { expect, test } from 'vitest'
import { addressFault, readAddressList } from '../../src/runtime/address-list.ts'

test.each(['10.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '10.0.0.1/32', '::1', '::1/128', '2001:db8::/32', '::/0'])(
  'takes %s',
  (entry) => {
    expect(addressFault(entry)).toBeNull()
  },
)

test.each([
  '',
  'example.org',
  '10.0.0',
  '10.0.0.1/33',
  '10.0.0.1/',
  '10.0.0.1/8/8',
  '10.0.0.1/-1',
  '10.0.0.1/0008',
  '10.0.0.1/8x',
  '10.0.0.1/x8',
  '::1/129',
  'fe80::1%eth0',
  '10.0.0.1 ',
])('refuses %j', (entry) => {
  expect(addressFault(entry)).not.toBeNull()
})

test('holds its addresses and networks, and no others', () => {
  const list = readAddressList(['192.0.2.7', '10.0.0.0/8', '2001:db8::/32'])
  for (const address of ['192.0.2.7', '10.255.0.1', '2001:db8:1::5'])
    expect(list.includes(address)).toBe(true)
  for (const address of ['192.0.2.8', '11.0.0.1', '2001:db9::1', '', 'unix', '::1'])
    expect(list.includes(address)).toBe(false)
})

test('an IPv4 caller on an IPv6 socket is the same caller', () => {
  const list = readAddressList(['10.0.0.0/8'])
  expect(list.includes('::ffff:10.1.2.3')).toBe(true)
  expect(list.includes('::FFFF:10.1.2.3')).toBe(true)
  expect(list.includes('::ffff:11.1.2.3')).toBe(false)
})
