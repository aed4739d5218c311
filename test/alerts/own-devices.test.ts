import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { utcDay } from '../../src/runtime/clock.ts'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import type { SendRequest } from '../../src/messages/send/send-request.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { sendRequest } from '../send-request.ts'
import { type AlertHouse, openAlertHouse } from './alert-house.ts'

let house: AlertHouse
beforeEach(async () => {
  house = await openAlertHouse()
})
afterEach(() => house.closeAll())

const write: AlertHouse['storage']['writer']['write'] = (unit) => house.storage.writer.write(unit)

const device = {
  id: 'dev_own', account_id: 'acc_a', kind: 'android', state: 'enabled', mode: 'live', name: 'd', senders: '[]', settings: '{}',
  created_at: 1, updated_at: 1,
} as const // prettier-ignore
const spend = () =>
  write((tx) =>
    insertRows(tx, 'usage_days', [{ account_id: 'acc_a', mode: 'live', day: utcDay(house.clock.now()), parts: 1 }]),
  ) // prettier-ignore
const send = (more: Partial<SendRequest>) =>
  write((tx) =>
    sendMessages(
      tx,
      [sendRequest({ ids: house.ids, nowMs: house.clock.now() }, more)],
      takeChange(tx, house.clock.now()),
    ),
  )
beforeEach(async () => {
  await write((tx) => tx.updateTable('accounts').set({ own_devices: 'free' }).execute())
  await write((tx) => insertRows(tx, 'devices', [device]))
})

test('own devices that cost nothing mute no alert about a balance that is spent: fallbacks, simulators and what they cannot carry spend it', async () => {
  await spend()
  await house.grant(-100)
  await house.look()
  expect(house.told()).toEqual(['ada: The balance of acc_a is used up'])
})

test('what own devices send is no use of the balance, and what holds take of it is once nothing is left', async () => {
  await house.grant(-99)
  await send({ paidBy: 'own_device', parts: 3 })
  await house.look()
  expect(house.told()).toEqual([])
  await send({ fallback: 'shared' })
  house.minutes(1)
  await house.look()
  expect(house.told()).toEqual(['ada: The balance of acc_a is used up'])
})

test('owners are told once that messages wait for an own device and none that is enabled can carry them', async () => {
  await send({ paidBy: 'own_device' })
  await send({ paidBy: 'own_device', from: 'Shop' })
  await write((tx) => tx.updateTable('devices').set({ senders: '["Shop"]', kind: 'smpp' }).execute())
  await house.look()
  expect(house.told()).toEqual([])
  await write((tx) => tx.updateTable('devices').set({ kind: 'android' }).execute())
  house.minutes(1)
  await house.look()
  expect(house.told()).toEqual(['ada: Messages of acc_a wait for an own device'])
  const mail = house.post.mails[0]?.raw.replaceAll(/=\r?\n/g, '').replaceAll(/\r?\n/g, ' ') ?? ''
  expect(mail).toContain('1 message waits for an own device, and none that is enabled can send it.')
  await write((tx) => tx.updateTable('devices').set({ state: 'disabled' }).execute())
  house.minutes(1)
  await house.look()
  await write((tx) => tx.updateTable('devices').set({ state: 'enabled', kind: 'smpp' }).execute())
  house.minutes(1)
  await house.look()
  expect(house.told()).toHaveLength(1)
})
