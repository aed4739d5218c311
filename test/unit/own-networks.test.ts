import type { NetworkInterfaceInfo } from 'node:os'
import { expect, test } from 'vitest'
import { ownNetworks } from '../../src/connectors/own-networks.ts'

const at = (cidr: string, more: Partial<NetworkInterfaceInfo> = {}): NetworkInterfaceInfo =>
  ({ address: cidr.split('/')[0], cidr, family: 'IPv4', internal: false, netmask: '', mac: '', ...more }) as NetworkInterfaceInfo // prettier-ignore

test('every other address of the own networks is named once', () => {
  const found = ownNetworks({ wlan0: [at('192.168.1.10/24')], eth0: [at('192.168.1.11/24')] })
  expect(found.asked).toEqual(['192.168.1.0/24'])
  expect(found.hosts).toHaveLength(252)
  expect(found.hosts).toContain('192.168.1.254')
  expect(found.hosts).not.toContain('192.168.1.10')
})

test('a network above a /22, loopback and IPv6 are left out', () => {
  const found = ownNetworks({
    lo: [at('127.0.0.1/8', { internal: true })],
    eth0: [at('10.1.2.3/16'), at('fe80::1/64', { family: 'IPv6' })],
    eth1: [at('172.16.7.5/22')],
  })
  expect(found).toMatchObject({ asked: ['172.16.4.0/22'], tooLarge: ['10.1.0.0/16'] })
  expect(found.hosts).toHaveLength(1_021)
})
