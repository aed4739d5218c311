import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DeviceKind } from '../../src/api/console/devices/device-calls.ts'
import type { ConsoleDevice } from '../../src/api/console/devices/device-view.ts'
import { type ConsolePerson, startConsole, type TestConsole } from './start-console.ts'

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.stop())

const twilio = {
  kind: 'http',
  name: 'Twilio',
  isShared: false,
  senders: [],
  settings: { provider: 'twilio', account_sid: `AC${'a'.repeat(32)}` },
  secrets: { auth_token: 'canary-51c2' },
  pace: null,
}
const add = (person: ConsolePerson, settings: Record<string, string> = {}) =>
  person.change('devices/add', { ...twilio, settings: { ...twilio.settings, ...settings } })
const formsOf = async (person: ConsolePerson) => {
  const { kinds } = (await person.read('devices/kinds', {})).body as { kinds: DeviceKind[] }
  return kinds.find(({ chosen }) => chosen !== null)?.chosen?.forms ?? []
}

test('an owner adds a messaging service with credentials of his own, and sees none of them again', async () => {
  const { ada } = console
  const added = await add(ada, { window: '5' })
  expect(added).toMatchObject({ status: 200 })
  const { deviceId } = added.body as { deviceId: string }
  const device = (await ada.read('devices/one', { deviceId, hours: 24 })).body as ConsoleDevice
  expect(device.setUp).toMatchObject({ settings: { provider: 'twilio', window: '5' }, hasSecrets: true })
  expect(JSON.stringify(device)).not.toContain('canary')
  const changed = await ada.change('devices/change', {
    deviceId,
    settings: { account_sid: `AC${'b'.repeat(32)}` },
  })
  expect(changed).toMatchObject({ status: 200 })
})

test.for([
  ['an address', { base: 'https://api.example.com' }],
  ['a file', { tls_ca_file: '/etc/passwd' }],
  ['a trace', { trace: 'on' }],
  ['new addresses for calls', { hook: '1' }],
  ['a declaration of his own', { provider: '', declaration: '{}' }],
] as const)('an owner sets %s neither at first nor later', async ([, settings]) => {
  const { ada } = console
  expect(await add(ada, settings)).toMatchObject({ status: 403 })
  const { deviceId } = (await add(ada)).body as { deviceId: string }
  expect(await ada.change('devices/change', { deviceId, settings })).toMatchObject({ status: 403 })
})

test('a form asks for what its declaration names: an owner for no address, and for no service that needs one', async () => {
  const forms = await formsOf(console.ada)
  const form = forms.find(({ value }) => value === 'twilio')
  const names = form?.settings.map(({ name }) => name) ?? []
  expect(names).toEqual(expect.arrayContaining(['account_sid', 'messaging_service_sid', 'window']))
  for (const name of ['base', 'provider', 'declaration', 'trace', 'hook']) expect(names).not.toContain(name)
  expect(form?.settings.find(({ name }) => name === 'account_sid')?.isRequired).toBe(true)
  expect(form?.secretFields).toMatchObject({ auth_token: { label: 'auth_token' } })
  expect(forms.map(({ value }) => value)).not.toContain('onesixty')
})

test('a request is shown before a device is added, with the names of its secrets', async () => {
  const shown = await console.ada.change('devices/show-request', {
    settings: twilio.settings,
    to: '+4915112345678',
    text: 'A & B',
  })
  expect(shown).toMatchObject({ status: 200 })
  const { lines } = shown.body as { lines: string[] }
  expect(lines[0]).toMatch(/^POST https:\/\/api\.twilio\.com\/2010-04-01\/Accounts\/AC/)
  expect(lines.join('\n')).toContain('‹auth_token›')
  expect(lines.at(-1)).toContain('Body=A+%26+B')
  const unchosen = await console.ada.change('devices/show-request', {
    settings: {},
    to: '+4915112345678',
    text: 'x',
  })
  expect(unchosen).toMatchObject({ status: 422 })
})
