import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  clearDeviceMarks,
  hasDeviceMark,
  markDevice,
  unmarkDevice,
} from '../../src/devices/core/device-marks.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

let base: TestStorage

beforeEach(async () => {
  base = await openTestStorage({ isStarted: false })
  const device = { mode: 'live', kind: 'smpp', name: 'a', state: 'enabled', senders: '[]', settings: '{}', created_at: 1, updated_at: 1 } as const // prettier-ignore
  await base.storage.writer.write((tx) =>
    tx
      .insertInto('devices')
      .values([
        { id: 'dev_1', ...device },
        { id: 'dev_2', ...device },
      ])
      .execute(),
  )
})

afterEach(() => base.close())

const mark = (deviceId: string, name = 'pin'): Promise<boolean> =>
  base.storage.writer.write((tx) => markDevice(tx, { deviceId, name, nowMs: 5 }))

test('a mark is set once, also by two at the same time, until it is removed', async () => {
  const both = await Promise.all([mark('dev_1'), mark('dev_1')])
  expect(both.filter((isFirst) => isFirst)).toHaveLength(1)
  expect([await mark('dev_1'), await mark('dev_1', 'other'), await mark('dev_2')]).toEqual([
    false,
    true,
    true,
  ])
  const pin = { deviceId: 'dev_1', name: 'pin' }
  expect(await hasDeviceMark(base.storage.read, pin)).toBe(true)
  await base.storage.writer.write((tx) => unmarkDevice(tx, pin))
  expect(await hasDeviceMark(base.storage.read, pin)).toBe(false)
  expect([await mark('dev_1'), await mark('dev_1', 'other')]).toEqual([true, false])
  await base.storage.writer.write((tx) => clearDeviceMarks(tx, 'dev_1'))
  expect([await mark('dev_1', 'other'), await mark('dev_2')]).toEqual([true, false])
})
