import { expect, test } from 'vitest'
import { examineDevice } from '../../src/cli/device/print-device.ts'
import type { ConnectorKind } from '../../src/connectors/connector.ts'
import { deviceFaults, missingFaults } from '../../src/devices/core/device-rules.ts'
import type { ListedDevice } from '../../src/devices/status/list-devices.ts'

const rules = {
  settings: [
    { name: 'host', summary: '', default: '', required: true as const, check: () => null },
    { name: 'window', summary: '', default: '10', check: () => null },
  ],
  secretNames: ['password', 'pin'],
  requiredSecrets: ['password'],
}
const given = { settings: {}, secrets: {}, senders: [], pace: null }

test('a new device is refused without what its kind has no default for, and told all of it', () => {
  expect(missingFaults(rules, given)).toEqual([
    {
      pointer: '/settings/host',
      code: 'required',
      detail: 'This kind of device needs the setting host; it has no default.',
    },
    {
      pointer: '/secrets/password',
      code: 'required',
      detail: 'This kind of device needs the secret password.',
    },
  ])
  expect(missingFaults(rules, { settings: { host: 'a' }, secrets: { password: 'b' } })).toEqual([])
})

test('a required setting cannot be put back to a default that it does not have', () => {
  expect(deviceFaults(rules, { ...given, settings: { host: null } })).toMatchObject([
    { pointer: '/settings/host', code: 'required' },
  ])
  expect(deviceFaults(rules, { ...given, settings: { window: null } })).toEqual([])
})

test('a device that lacks what its kind needs fails its examination', () => {
  const settingsCheck = (device: Pick<ListedDevice, 'settings' | 'hasSecrets'>) =>
    examineDevice(
      { id: 'dev_1', kind: 'smpp', state: 'enabled', report: null, ...device } as ListedDevice,
      { kind: 'smpp', ...rules } as unknown as ConnectorKind,
    ).find(({ name }) => name === 'settings')
  expect(settingsCheck({ settings: { host: 'a' }, hasSecrets: true })).toMatchObject({ ok: true })
  expect(settingsCheck({ settings: {}, hasSecrets: false })).toEqual({
    name: 'settings',
    ok: false,
    summary: 'Settings: host is missing; its secrets are missing.',
  })
})
