import { hasDeviceMark, markDevice } from '../../src/devices/core/device-marks.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DeviceReportBody } from '../../src/storage/tables/json-columns.ts'
import { saveDeviceReports } from '../../src/devices/status/device-report.ts'
import { openDeviceSecrets } from '../../src/devices/core/device-secrets.ts'
import {
  addDevice,
  type DeviceChange,
  type NewDevice,
  retireDevice,
  setDevice,
} from '../../src/devices/core/device-store.ts'
import { listDevices } from '../../src/devices/status/list-devices.ts'
import { createDeviceSecretBox } from '../../src/runtime/secret-box.ts'
import { Refusal } from '../../src/runtime/errors.ts'
import { type AccountsFixture, openAccountsFixture } from '../accounts/accounts-fixture.ts'

let fixture: AccountsFixture
let accountId: string
beforeEach(async () => {
  fixture = await openAccountsFixture()
  ;({ accountId } = await fixture.addAccount())
})
afterEach(() => fixture.close())

const secretBox = createDeviceSecretBox({ current: 'a secret of the instance, long enough', former: [] })
const rules = {
  settings: [
    { name: 'host', check: (value: string) => (value === '' ? 'must not be empty' : null) },
    { name: 'port', check: (value: string) => (/^\d+$/.test(value) ? null : 'needs a number') },
  ],
  secretNames: ['password'],
}
const deps = () => ({ ...fixture.deps(), secretBox, rules })
const add = (device: Partial<NewDevice> = {}) =>
  fixture.storage.writer.write((tx) =>
    addDevice(tx, deps(), { accountId, mode: 'live', kind: 'smpp', name: 'Link', actor: 'test', ...device }),
  )
const set = (deviceId: string, change: Partial<DeviceChange>) =>
  fixture.storage.writer.write((tx) => setDevice(tx, deps(), { deviceId, actor: 'test', ...change }))
const retire = (deviceId: string) =>
  fixture.storage.writer.write((tx) => retireDevice(tx, fixture.deps(), { deviceId, actor: 'test' }))
const find = async (deviceId: string) =>
  (await listDevices(fixture.storage.read, { deviceId }, { afterId: null, limit: 1 })).devices[0]
const rowOf = (id: string) =>
  fixture.storage.read.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('adds a device, enabled, with everything that was said of it', async () => {
  const before = await fixture.directoryVersion()
  const id = await add({
    senders: ['+4915112345678', 'Shop', '12345'],
    settings: { host: 'smsc', port: '2775' },
    pace: { partsPerWindow: 30, windowSeconds: 60 },
  })
  expect(await find(id)).toEqual({
    id,
    accountId,
    mode: 'live',
    kind: 'smpp',
    name: 'Link',
    state: 'enabled',
    senders: ['+4915112345678', 'Shop', '12345'],
    settings: { host: 'smsc', port: '2775' },
    hasSecrets: false,
    isDraining: false,
    lease: null,
    pace: { partsPerWindow: 30, windowSeconds: 60 },
    report: null,
    groupId: null,
    createdAt: fixture.clock.now(),
  })
  expect(await fixture.directoryVersion()).toBe(before + 1)
})

test('a device without a setting or a secret that its kind needs is not added', async () => {
  const needs = { ...rules, settings: [{ ...rules.settings[0]!, required: true as const }], requiredSecrets: ['password'] }
  const addTo = (device: Partial<NewDevice>) =>
    fixture.storage.writer.write((tx) =>
      addDevice(tx, { ...deps(), rules: needs }, { accountId, mode: 'live', kind: 'smpp', name: 'Link', actor: 'test', ...device }),
    )
  await expect(addTo({})).rejects.toMatchObject({
    code: 'validation_failed',
    extra: { errors: [{ pointer: '/settings/host', code: 'required' }, { pointer: '/secrets/password', code: 'required' }] },
  })
  const id = await addTo({ settings: { host: 'smsc' }, secrets: { password: 'hunter2-hunter2' } })
  const unset = { deviceId: id, settings: { host: null }, actor: 'test' }
  await expect(fixture.storage.writer.write((tx) => setDevice(tx, { ...deps(), rules: needs }, unset))).rejects.toMatchObject({ code: 'validation_failed' })
}) // prettier-ignore

test('secrets are sealed for this device; nothing that is stored or audited shows them', async () => {
  const id = await add({ secrets: { password: 'hunter2-hunter2' } })
  const row = await rowOf(id)
  expect(openDeviceSecrets(secretBox, row)).toEqual({ password: 'hunter2-hunter2' })
  expect(() => openDeviceSecrets(secretBox, { id: 'dev_other', secrets: row.secrets })).toThrow(
    'belongs to another owner',
  )
  const audit = await fixture.storage.read.selectFrom('audit_log').selectAll().execute()
  expect(JSON.stringify([row, audit, await find(id)])).not.toContain('hunter2')

  await set(id, { secrets: { password: 'another' } })
  expect(openDeviceSecrets(secretBox, await rowOf(id))).toEqual({ password: 'another' })
})

test('a secret that is set again removes the marks of the device, and nothing else does', async () => {
  const id = await add({ secrets: { password: 'hunter2-hunter2' } })
  const pin = { deviceId: id, name: 'pin' }
  await fixture.storage.writer.write((tx) => markDevice(tx, { ...pin, nowMs: 1 }))
  await set(id, { name: 'Another name', state: 'disabled' })
  expect(await hasDeviceMark(fixture.storage.read, pin)).toBe(true)
  await set(id, { secrets: { password: 'hunter2-hunter2' } })
  expect(await hasDeviceMark(fixture.storage.read, pin)).toBe(false)
})

test('a password that was sealed under a secret that is given up is set anew, and stands until then', async () => {
  const lost = createDeviceSecretBox({ current: 'a secret of the instance that is lost', former: [] })
  const id = await add({ secrets: { password: 'hunter2-hunter2' } })
  const { writer } = fixture.storage
  const sealed = lost.seal('{"password":"old"}', id)
  await writer.write((tx) => tx.updateTable('devices').set({ secrets: sealed }).execute())
  await set(id, { name: 'Renamed' })
  expect((await rowOf(id)).secrets).toBe(sealed)
  await set(id, { secrets: { password: 'another' } })
  expect(openDeviceSecrets(secretBox, await rowOf(id))).toEqual({ password: 'another' })
})

test('refuses settings, secrets, senders and a pace that its kind cannot have, all at once', async () => {
  const bad: Partial<NewDevice> = {
    name: '',
    settings: { port: 'x', hots: 'smsc' },
    secrets: { pasword: 'secret-value' },
    senders: ['+0123', 'twelve chars', 'Shop', 'Shop'],
    pace: { partsPerWindow: 0, windowSeconds: 60 },
  }
  const refusal = await add(bad).catch((error: unknown) => error)
  if (!(refusal instanceof Refusal)) throw new Error('it was not refused')
  expect(refusal.extra.errors?.map((fault) => fault.pointer)).toEqual([
    '/name',
    '/settings/port',
    '/settings/hots',
    '/secrets/pasword',
    '/senders',
    '/senders',
    '/senders',
    '/pace',
  ])
  expect(refusal.message).not.toContain('secret-value')
  await expect(add({ accountId: 'acc_none' })).rejects.toMatchObject({ code: 'not_found' })
})

test('changes what is named and leaves the rest; a setting put back has its default', async () => {
  const id = await add({ senders: ['Shop'], settings: { host: 'smsc', port: '2775' } })
  await set(id, { settings: { port: '2776' }, name: 'Renamed' })
  expect(await find(id)).toMatchObject({
    name: 'Renamed',
    state: 'enabled',
    senders: ['Shop'],
    settings: { host: 'smsc', port: '2776' },
  })
  await set(id, {
    settings: { port: null },
    state: 'disabled',
    senders: [],
    pace: { partsPerWindow: 1, windowSeconds: 1 },
  })
  expect(await find(id)).toMatchObject({
    state: 'disabled',
    senders: [],
    settings: { host: 'smsc' },
    pace: { partsPerWindow: 1, windowSeconds: 1 },
  })
  await set(id, { pace: null })
  expect((await find(id))?.pace).toBeNull()
  await expect(set(id, { settings: { port: 'x' } })).rejects.toThrow(
    "The setting port needs a number; it was 'x'.",
  )
  await expect(set('dev_none', { name: 'X' })).rejects.toMatchObject({ code: 'not_found' })
})

test('every change moves the time of change on, even when the clock stands still', async () => {
  const id = await add()
  const times = [(await rowOf(id)).updated_at]
  for (const name of ['a', 'b']) {
    await set(id, { name })
    times.push((await rowOf(id)).updated_at)
  }
  expect(times).toEqual([times[0], (times[0] as number) + 1, (times[0] as number) + 2])
})

test('a retired device is gone for ever, with its secrets and its report', async () => {
  const id = await add({ secrets: { password: 'x' } })
  const report = { device_id: id, status: 'online', reasons: '[]', body: '{}', reported_at: 1 } as const
  await fixture.storage.writer.write((tx) => tx.insertInto('device_reports').values(report).execute())
  expect(await retire(id)).toBe(true)
  expect(await retire(id)).toBe(false)
  expect(await rowOf(id)).toMatchObject({ state: 'retired', secrets: null, name: 'Link' })
  expect(await find(id)).toBeUndefined()
  await expect(set(id, { state: 'enabled' })).rejects.toMatchObject({ code: 'not_found' })
})

test('a server that has not heard yet that a device was removed reports it no more', async () => {
  const [gone, stays] = [await add(), await add()]
  await retire(gone)
  const said = (deviceId: string) =>
    ({ deviceId, status: 'online', reasons: [], reportedAt: 1, body: {} as DeviceReportBody }) as const
  await fixture.storage.writer.write((tx) => saveDeviceReports(tx, [said(gone), said(stays)]))
  const reports = await fixture.storage.read.selectFrom('device_reports').select('device_id').execute()
  expect(reports).toEqual([{ device_id: stays }])
})

test('lists an account its own devices, and the operator the shared ones', async () => {
  const other = await fixture.addAccount({ email: 'other@example.org' })
  const own = await add()
  const shared = await add({ accountId: null })
  const foreign = await add({ accountId: other.accountId })
  const idsOf = async (scope: Parameters<typeof listDevices>[1]) =>
    (await listDevices(fixture.storage.read, scope, { afterId: null, limit: 10 })).devices.map(
      (device) => device.id,
    )
  expect(await idsOf({ accountId })).toEqual([own])
  expect(await idsOf('shared')).toEqual([shared])
  expect(await idsOf('all')).toEqual([own, shared, foreign])
  const page = await listDevices(fixture.storage.read, 'all', { afterId: null, limit: 2 })
  expect([page.devices.length, page.nextAfterId]).toEqual([2, shared])
})
