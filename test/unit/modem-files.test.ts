import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { udevRules } from '../../src/connectors/modem/ports/udev-rules.ts'
import { isLikelyModem, isWebStick } from '../../src/connectors/modem/ports/vendors.ts'
import { readUnit } from '../deployment-file.ts'
import { hasCommands } from '../peers/foreign-tools.ts'

// CI starts no unit and no container, and no udev: what is in the files is compared with what systemd, Compose and ModemManager document.

const repository = join(import.meta.dirname, '../..')
const readText = (path: string): string => readFileSync(join(repository, path), 'utf8')

test('the rules of udev have the form of `device discover --udev`, for modems alone', () => {
  const text = readText('deploy/78-onesixty-modem.rules')
  const pairs = [...text.matchAll(/idVendor\}=="(\w+)", ATTRS\{idProduct\}=="(\w+)"/g)].map(([, vendorId = '', productId = '']) => ({ vendorId, productId })) // prettier-ignore
  expect(pairs.length).toBeGreaterThan(5)
  expect(pairs.filter((pair) => !isLikelyModem(pair) || isWebStick(pair))).toEqual([])
  // Each rule has the names of its modems above it.
  const withoutNames = text.replaceAll(/^# .*\n(?=ATTRS)/gm, '')
  const written = udevRules(pairs.map((usb) => ({ usb: { ...usb, maker: null, product: null, interfaceNumber: null } }))) // prettier-ignore
  expect(withoutNames).toBe(written)
  expect(text.match(/^# .*\nATTRS/gm)).toHaveLength(pairs.length)
})

const conf = readText('deploy/onesixty.service.d/modem.conf')

test('the unit gets ports of USB by their numbers, and no other device', () => {
  const unit = readUnit(conf)
  expect(unit.all('PrivateDevices')).toEqual(['no'])
  expect(unit.all('DevicePolicy')).toEqual(['closed'])
  // 188 is ttyUSB and 166 is ttyACM (Documentation/admin-guide/devices.txt of Linux). systemd reads a number as a major one
  // (src/core/bpf-devices.c: "The name is numeric and suitable as major"), a name only from /proc/devices at the start.
  expect(unit.all('DeviceAllow')).toEqual(['char-188 rw', 'char-166 rw'])
  expect(unit.all('SupplementaryGroups')).toEqual(['dialout'])
  // What PrivateDevices also does is done by the unit itself.
  const whole = readUnit(readText('deploy/onesixty.service'))
  expect(whole.all('PrivateDevices')).toEqual(['yes'])
  expect(whole.all('CapabilityBoundingSet')).toEqual([''])
  expect(whole.all('SystemCallFilter')[0]).toBe('@system-service')
})

test.skipIf(!hasCommands('systemd-analyze'))('systemd reads it so', () => {
  const unit = join(repository, 'deploy/onesixty.service')
  const rated = execFileSync('systemd-analyze', ['security', '--offline=yes', '--no-pager', unit], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }) // prettier-ignore
  expect(rated).toMatch(/special devices: (?=.*char-188:rw)(?=.*char-166:rw)/)
  const [, exposure] = /Overall exposure level for onesixty\.service: ([\d.]+)/.exec(rated) ?? []
  expect(readText('docs/operating.md')).toContain(`${exposure} with \`deploy/onesixty.service.d\``)
})

test('a container of the nodes gets the ports of its machine as they come and go, and no more', () => {
  const { services } = parse(readText('compose.modem.yaml')) as { services: Record<string, object> }
  expect(services).toEqual({
    'node-1': {
      volumes: ['/dev:/dev:ro'],
      device_cgroup_rules: ['c 188:* rmw', 'c 166:* rmw'],
      group_add: ['20'],
    },
  })
  const nodes = parse(readText('compose.yaml'), { merge: true }) as { services: Record<string, object> }
  expect(Object.keys(nodes.services)).toContain('node-1')
})

test('the Debian package has the rules as an example', () => {
  expect(readText('scripts/release/deb.ts')).toContain('${doc}/examples/${rules}')
})
