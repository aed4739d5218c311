import { expect, test } from 'vitest'
import { wayOf } from '../../src/devices/phones/reach-way.ts'

test.each([
  ['192.168.1.23', 'the same network (Wi-Fi)'],
  ['172.31.255.255', 'the same network (Wi-Fi)'],
  ['172.32.0.1', 'the internet'],
  ['::ffff:10.0.0.7', 'the same network (Wi-Fi)'],
  ['fe80::1%wlan0', 'the same network (Wi-Fi)'],
  ['fd12::1', 'the same network (Wi-Fi)'],
  ['2001:db8::1', 'the internet'],
  ['100.64.0.9', 'a VPN such as Tailscale, or the network of a carrier'],
  ['100.128.0.9', 'the internet'],
  ['127.0.0.1', 'this machine: a cable or a proxy'],
  ['::1', 'this machine: a cable or a proxy'],
  ['not an address', 'the internet'],
])('a client with the address %s came by %s', (address, way) => {
  expect(wayOf(address)).toBe(way)
})
