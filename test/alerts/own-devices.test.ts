import { afterEach, beforeEach, expect, test } from 'vitest'
import { utcDay } from '../../src/runtime/clock.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { type AlertHouse, openAlertHouse } from './alert-house.ts'

let house: AlertHouse
beforeEach(async () => {
  house = await openAlertHouse()
})
afterEach(() => house.closeAll())

const write: AlertHouse['storage']['writer']['write'] = (unit) => house.storage.writer.write(unit)

test('a low balance is no alert while own devices of a free account carry its messages, and one is again without them', async () => {
  const device = {
    mode: 'live',
    name: 'd',
    senders: '[]',
    settings: '{}',
    created_at: 1,
    updated_at: 1,
  } as const
  await write((tx) =>
    insertRows(tx, 'usage_days', [{ account_id: 'acc_a', mode: 'live', day: utcDay(house.clock.now()), parts: 1 }]),
  ) // prettier-ignore
  await write((tx) => tx.updateTable('accounts').set({ own_devices: 'free' }).execute())
  await write((tx) => insertRows(tx, 'devices', [{ id: 'dev_own', account_id: 'acc_a', kind: 'smpp', state: 'enabled', ...device }])) // prettier-ignore
  await house.grant(-100)
  await house.look()
  expect(house.told()).toEqual([])
  await write((tx) =>
    tx.updateTable('devices').set({ kind: 'simulator' }).where('id', '=', 'dev_own').execute(),
  )
  await house.look()
  house.minutes(1)
  await house.look()
  expect(house.told()).toEqual(['ada: The balance of acc_a is used up'])
})
